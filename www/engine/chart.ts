// Export of a chart as a file.

import { painter } from './core.js';
import { codedError } from './fault.js';
import { dark } from './theme.js';
import type { Drawn } from './outcome.js';

/** Width in CSS pixels of a figure for print, from its width in millimeters. */
export async function printWidth(width_mm: number): Promise<number> {
  const { Drawing } = await painter();
  return Drawing.print_width(width_mm);
}

/** `width_mm`: width for print in millimeters. */
export async function chartBlob({ outcome, columns }: Drawn, format: string, width_mm?: number): Promise<Blob> {
  if (format !== 'svg' && format !== 'pdf' && format !== 'png')
    throw codedError({
      code: 'invalid_option',
      message: `Unknown chart format “${format}”.`,
      hint: 'Use svg, pdf or png.',
    });
  const { Drawing } = await painter();
  const drawing = new Drawing(JSON.stringify(outcome.figure), columns);
  try {
    if (format === 'svg') {
      const text = width_mm === undefined ? drawing.svg(dark()) : drawing.print(width_mm);
      return new Blob([text], { type: 'image/svg+xml' });
    }
    if (format === 'pdf') {
      const page = drawing.pdf(width_mm) as Uint8Array<ArrayBuffer>;
      return new Blob([page], { type: 'application/pdf' });
    }
    const canvas = document.createElement('canvas');
    drawing.draw(canvas, dark(), 2);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) =>
          blob
            ? resolve(blob)
            : reject(codedError({ code: 'not_drawn', message: 'The image could not be created.', hint: 'Use SVG.' })),
        'image/png',
      ),
    );
  } finally {
    drawing.free();
  }
}
