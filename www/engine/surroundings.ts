// What the pool uses of the browser: workers, a clock, and notice of a worker that has ended.

/** A worker as the pool knows it. */
export type Hired = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onmessageerror' | 'onerror'>;
/** What the pool needs from where it runs; its tests give their own. */
export type Surroundings = {
  /** a worker with the module, which will hold the lock `life`; throws where the browser refuses one */
  hire: (life: string) => Hired;
  /** calls every so many milliseconds; what it answers ends that */
  every: (milliseconds: number, call: () => void) => () => void;
  /** calls when no one holds the lock `life` any more; never where the browser has no locks */
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
