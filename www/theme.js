// The colours of the style sheet as values, for charts: one source for light, dark and print.

const NAMES = ['paper', 'ink', 'muted', 'line', 'accent', 'over', 'under', 'unsure'];
const SERIES = ['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6', 'series-7'];

/** Resolved colours of the current scheme, as CSS `rgb()` texts. */
export function theme() {
  const probe = document.createElement('i');
  document.body.append(probe);
  const colour = (/** @type {string} */ name) => {
    probe.style.setProperty('color', `var(--${name})`);
    return getComputedStyle(probe).color;
  };
  const colours = { ...Object.fromEntries(NAMES.map((name) => [name, colour(name)])), series: SERIES.map(colour) };
  probe.remove();
  return colours;
}

/** Calls back when the colours or the pixel density change; returns a function that stops it. @param {() => void} redraw */
export function onThemeChange(redraw) {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', redraw);
  let density = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
  const onDensity = () => {
    density = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    density.addEventListener('change', onDensity, { once: true });
    redraw();
  };
  density.addEventListener('change', onDensity, { once: true });
  return () => {
    scheme.removeEventListener('change', redraw);
    density.removeEventListener('change', onDensity);
  };
}
