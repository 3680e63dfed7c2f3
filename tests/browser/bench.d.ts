// What measurements add to the page's globals.
declare const usableAt: Promise<number>;
declare const coreModule: Promise<WebAssembly.Module>;
declare const shown: (there: () => unknown) => Promise<number>;
declare const benchWorker: typeof import('./bench_worker.mjs').worker;
declare const rested: () => Promise<void>;
