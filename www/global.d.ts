// The one global, for scripts and specs.
declare const localcal: typeof import('./engine/localcal.js').localcal;
interface Window {
  localcal: typeof localcal;
}
