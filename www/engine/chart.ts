// A chart as a file.

import { painter } from './core.js';
import { codedError } from './pool.js';
import { dark } from './theme.js';
import type { Answer } from './pool.js';

export async function chartBlob(
  { outcome, columns }: Pick<Answer, 'outcome' | 'columns'>,
  format: string,
): Promise<Blob> {
  if (format !== 'svg' && format !== 'png')
    throw codedError({
      code: 'invalid_option',
      message: `A chart has no format “${format}”.`,
      hint: 'Use svg or png.',
    });
  const { Drawing } = await painter();
  const drawing = new Drawing(JSON.stringify(outcome.figure), columns);
  try {
    if (format === 'svg') return new Blob([drawing.svg(dark())], { type: 'image/svg+xml' });
    const canvas = document.createElement('canvas');
    drawing.draw(canvas, dark(), 2);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) =>
          blob
            ? resolve(blob)
            : reject(codedError({ code: 'not_drawn', message: 'The picture could not be made.', hint: 'Use SVG.' })),
        'image/png',
      ),
    );
  } finally {
    drawing.free();
  }
}
