// Light and dark theme, and changes of it. The core defines the colors of charts; a test compares them with the style
// sheet.

/** Chosen theme; empty: that of the system. */
export type Theme = '' | 'light' | 'dark';
let theme: Theme = '';
const listening = new Set<() => void>();

/** True when the page is dark. */
export const dark = () => (theme === '' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark');

/** Sets the theme to light, dark, or that of the system. */
export function setTheme(to: Theme) {
  if (to === theme) return;
  theme = to;
  document.documentElement.style.colorScheme = to;
  for (const redraw of listening) redraw();
}

/** Calls back when the colors or the pixel density change; returns a function that stops it. */
export function onThemeChange(redraw: () => void) {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', redraw);
  listening.add(redraw);
  let density = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
  const onDensity = () => {
    density = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    density.addEventListener('change', onDensity, { once: true });
    redraw();
  };
  density.addEventListener('change', onDensity, { once: true });
  return () => {
    listening.delete(redraw);
    scheme.removeEventListener('change', redraw);
    density.removeEventListener('change', onDensity);
  };
}
