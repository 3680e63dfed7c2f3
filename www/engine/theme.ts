// Light or dark, and when that changes. The colors of charts are the core's; a test holds the style sheet to them.

/** True when the page is dark. */
export const dark = () => matchMedia('(prefers-color-scheme: dark)').matches;

/** Calls back when the colors or the pixel density change; returns a function that stops it. */
export function onThemeChange(redraw: () => void) {
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
