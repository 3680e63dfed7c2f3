// A chart as a file: what may be saved of it, in the colors of its medium.

import { chartBlob } from '../engine/chart.js';
import type { Drawn } from '../engine/outcome.js';
import { dark } from '../engine/theme.js';
import { least, withheld } from '../state/suppression.js';
import { hasPicture } from './brush.js';
import type { ChartQuestion, Room } from './brush.js';

/** How a chart is asked for anew where its file is to show something else than the page. */
export interface Saved extends Pick<ChartQuestion, 'ask'> {
  /** the same as it may be saved while counts below the second are withheld; without it no file is */
  withheld?: (room: Room, suppress: number) => Promise<Drawn | null>;
}

/** The file of what is `shown`; `asked` is called where the page's own chart was asked for again, which it then shows. */
export async function chartFile(shown: Drawn, format: string, saved: Saved, asked: () => void): Promise<Blob> {
  const figure = await mayLeave(shown, saved);
  // pictures have the colors of the page they were made for: a PDF is for paper, and takes them anew from a dark page
  const onPaper = !least() && format === 'pdf' && dark() && figure.outcome.figure.panels.some(hasPicture);
  if (!onPaper) return chartBlob(figure, format);
  const light = await saved.ask({ width: figure.outcome.figure.width, dpr: 2, dark: false });
  try {
    return await chartBlob(light ?? figure, format);
  } finally {
    asked();
  }
}

/** What may be saved of what is shown. */
async function mayLeave(figure: Drawn, saved: Saved): Promise<Drawn> {
  const suppress = least();
  if (!suppress) return figure;
  const room = { width: figure.outcome.figure.width, dpr: 2, dark: dark() };
  const gated = await saved.withheld?.(room, suppress);
  if (!gated?.outcome.figure.panels.length) throw withheld('this chart', suppress);
  return gated;
}
