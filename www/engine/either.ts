// A signal that aborts with the first of several, also in browsers without `AbortSignal.any`.

export function either(...signals: AbortSignal[]): AbortSignal {
  if (typeof AbortSignal.any === 'function') return AbortSignal.any(signals);
  const joined = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) joined.abort(signal.reason);
    // after the abort all listeners are removed
    else signal.addEventListener('abort', () => joined.abort(signal.reason), { signal: joined.signal });
  }
  return joined.signal;
}
