// Light and dark theme, and changes of it. The core defines the colors of charts; a test compares them with the style
// sheet.

/** Chosen theme; empty: that of the system. */
export type Theme = '' | 'light' | 'dark';
let theme: Theme = '';
const listening = new Set<() => void>();

const [DARK, FORCED] = ['(prefers-color-scheme: dark)', '(forced-colors: active)'];
const isForced = () => matchMedia(FORCED).matches;

/** Paper is white: while the page is printed it is not dark. */
let printing = false;
/** True when the page is dark. Where the system forces colors, it also says whether they are dark. */
export const dark = () => {
  if (isForced()) return matchMedia(DARK).matches;
  return !printing && (theme === '' ? matchMedia(DARK).matches : theme === 'dark');
};

/** Red, green and blue of the background, of text and of the selection where the system forces them. */
export function forcedColors(): Uint8Array | undefined {
  if (!isForced()) return undefined;
  const probe = document.body.appendChild(document.createElement('span'));
  probe.style.setProperty('forced-color-adjust', 'none');
  const channels = ['Canvas', 'CanvasText', 'Highlight'].flatMap((name) => {
    probe.style.color = name;
    return (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  });
  probe.remove();
  return new Uint8Array(channels);
}

/** How much the style sheet enlarges an element, as on a projector. */
export const enlargement = (element: Element | null) => element?.currentCSSZoom ?? 1;
/** Device pixels to a CSS pixel of an element: a drawing of so many is sharp. */
export const density = (element: Element | null) => enlargement(element) * (devicePixelRatio || 1);

/** Charts of a dark page are printed in the colors of a light one. */
export function followPrinting() {
  const turn = (now: boolean) => {
    const before = dark();
    printing = now;
    if (dark() !== before) for (const redraw of listening) redraw();
  };
  addEventListener('beforeprint', () => turn(true));
  addEventListener('afterprint', () => turn(false));
}

/** Sets the theme to light, dark, or that of the system. */
export function setTheme(to: Theme) {
  if (to === theme) return;
  theme = to;
  document.documentElement.style.colorScheme = to;
  for (const redraw of listening) redraw();
}

/** Calls back when the colors or the pixel density change; returns a function that stops it. */
export function onThemeChange(redraw: () => void) {
  const media = [DARK, FORCED].map((query) => matchMedia(query));
  media.forEach((one) => one.addEventListener('change', redraw));
  listening.add(redraw);
  let resolution = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
  const onDensity = () => {
    resolution = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    resolution.addEventListener('change', onDensity, { once: true });
    redraw();
  };
  resolution.addEventListener('change', onDensity, { once: true });
  return () => {
    listening.delete(redraw);
    media.forEach((one) => one.removeEventListener('change', redraw));
    resolution.removeEventListener('change', onDensity);
  };
}
