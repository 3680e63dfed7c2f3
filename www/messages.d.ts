// Messages as they are written in JavaScript: the kind of a message is among its fields here, and outside of them
// in the core.

declare namespace wasm_bindgen {
  type Charted<T> = T extends unknown ? { [K in keyof T]: { chart: K } & T[K] }[keyof T] : never;
  type Kinded<T> = T extends unknown ? { [K in keyof T]: { kind: K } & T[K] }[keyof T] : never;
  /** A chart as it is asked for. */
  export type ChartMessage = Charted<ChartRequest>;
  /** What the page asks for. */
  export type CallMessage =
    | Exclude<Kinded<Call>, { kind: 'view' }>
    | { kind: 'view'; request: ChartMessage };
}
