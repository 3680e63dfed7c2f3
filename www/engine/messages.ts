// Messages between the page and its workers. Types only: a worker is a single text without imports.

export type Column = Float64Array | Float32Array | Uint32Array | Uint8Array;
/** Coordinates of rows during the computation of an embedding. */
export type Picture = { kind: 'embedding'; x: Float32Array; y: Float32Array; z?: Float32Array };
/** A file, or what a library of the page has read of one. */
export type Content = File | Uint8Array<ArrayBuffer>;
/** A job: a request of the page, or the bytes of a job of a plan. */
export type Job = object | Uint8Array;

/**
 * `boot`: the module, and the lock that the worker holds while it lives; `keep`, `forget`: an outcome under a key;
 * `run`: a job with the outcomes under `needs` as inputs, the last `extras` of which are those of every job of a data
 * set.
 */
export type ToWorker =
  | { kind: 'boot'; module: WebAssembly.Module; life?: string }
  | { kind: 'keep'; key: number; packed: Uint8Array; columns: Column[] }
  | { kind: 'forget'; key: number }
  | { kind: 'run'; id: number; key: number; job: Job; needs: number[]; extras: number; file?: Content };

/**
 * An error. `page`: the same in the words of the page, which names controls instead of options of a script; `summary`:
 * of the files that were being opened.
 */
export type Coded = {
  code: string;
  message: string;
  hint?: string;
  summary?: wasm_bindgen.Summary;
  page?: { message: string; hint: string };
};

/** The outcome of a job: the part that the page reads, and the whole of it for other workers. */
export type Ran = { outcome: string; packed?: Uint8Array; columns: Column[] };

/**
 * A sign of life, the progress of a job, or its answer: an outcome or an error, with the memory of the instance and the
 * milliseconds it took. In messages of a worker that failed, any part can be missing.
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
