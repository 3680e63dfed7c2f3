// What the pool uses of the browser: workers, a clock, and notice of a worker that has ended.

/** A worker as the pool knows it. */
export type Hired = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onmessageerror' | 'onerror'>;
/** What the pool requires of its environment; tests pass their own. */
export type Surroundings = {
  /** starts a worker with the module, which will hold the lock `life`; throws if the browser refuses */
  hire: (life: string) => Hired;
  /** calls back at an interval in milliseconds; returns a function that stops it */
  every: (milliseconds: number, call: () => void) => () => void;
  /** calls back when the lock `life` is free again; never in browsers without locks */
  gone: (life: string, call: () => void) => void;
};

/** `source`: the text of a worker. */
export function browserOf(source: string, module: WebAssembly.Module): Surroundings {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  return {
    hire(life) {
      const worker = new Worker(url);
      worker.postMessage({ kind: 'boot', module, life });
      return worker;
    },
    every(milliseconds, call) {
      const timer = setInterval(call, milliseconds);
      return () => clearInterval(timer);
    },
    gone: (life, call) => void navigator.locks?.request(life, call).catch(() => {}),
  };
}
