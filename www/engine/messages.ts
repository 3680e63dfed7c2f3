// Messages between the page and its workers. Types only: a worker is a single text without imports.

export type Column = Float64Array | Float32Array | Uint32Array | Uint8Array;
/** Places of rows while an embedding is on its way. */
export type Picture = { kind: 'embedding'; x: Float32Array; y: Float32Array; z?: Float32Array };
/** What there is to do: what the page asks for, or the bytes of a plan's job. */
export type Job = object | Uint8Array;

/**
 * `boot`: the module, and the lock that the worker holds while it lives; `keep`, `forget`: an outcome under a key; `run`: a
 * job on the outcomes under `needs`, of which the last `extras` go with every job of a data set.
 */
export type ToWorker =
  | { kind: 'boot'; module: WebAssembly.Module; life?: string }
  | { kind: 'keep'; key: number; packed: Uint8Array; columns: Column[] }
  | { kind: 'forget'; key: number }
  | { kind: 'run'; id: number; key: number; job: Job; needs: number[]; extras: number; file?: File };

/** What went wrong. `page`: the same in the page's words, which name controls where a script's name options; `summary`:
 * of what was being opened. */
export type Coded = {
  code: string;
  message: string;
  hint?: string;
  summary?: wasm_bindgen.Summary;
  page?: { message: string; hint: string };
};

/** What comes of a job: what the page reads of it, and the whole of it for other workers. */
export type Ran = { outcome: string; packed?: Uint8Array; columns: Column[] };

/**
 * That it lives; how far a job is; or its answer: an outcome, or what went wrong, with the bytes of the instance and the
 * milliseconds it took. Any part can be missing of what a worker that broke says.
 */
export type FromWorker = Partial<Ran> & {
  life?: string;
  id?: number;
  progress?: number;
  picture?: Picture;
  error?: Coded;
  memory?: number;
  took?: number;
};
