// What a panel used to define similarity, in one line; where that differs from the subject's, both, and the ways to bring
// them together; and the picker, for this panel alone.

import { useState } from 'preact/hooks';
import type { Similarity, Kernel } from '../state/chosen.js';
import { similarityIn, chooseSimilarity, everywhere, ownOf } from '../state/similarity.js';
import { gammaFor, measuredOf, wantedPlace } from '../state/space.js';
import { usualBins, usualOf } from '../parts/catalogue.js';
import { Unbroken } from '../parts/worded.js';
import { open, set, subject } from '../state/store.js';
import type { Part } from './similarity.js';
import { SimilarityChoices } from './similarity.js';
import { differences, kernelInWords, sameOf } from './similarity_words.js';

interface Props {
  kind: string;
  /** what it used, as its answer or its settings say; null: there is no answer yet */
  used: string | null;
  /** what of it a person can have otherwise in this panel */
  parts: Part[];
  /** the kernel that it weighs with, where that is one whatever the subject has */
  kernel?: Kernel;
}

/** Panels that look for neighbors where the subject says so. */
const KEEPS_TO_IT = ['map', 'sweep', 'repair', 'scorecard'];

/** The subject's choice with what is usual filled in. */
function subjectSimilarity(kernel?: Kernel): Similarity {
  const data = open.value?.data;
  const { alike } = subject.value;
  const place = data && wantedPlace(data, alike);
  const now = alike.kernel ?? 'laplacian';
  const there = data && place && measuredOf(data, place);
  const gamma = alike.gamma ?? ((there && (!kernel || kernel === now) && gammaFor(data, now, there)) || undefined);
  return {
    bins: usualBins(),
    width_p: usualOf('klce', 'width_p'),
    neighbours: usualOf('proximity', 'neighbours'),
    distance: 'euclidean',
    ...alike,
    kernel: now,
    ...(gamma && { gamma }),
    ...(place && { place }),
  };
}

/** Of a panel whose neighbors come from all rows: that they do, where the subject has others; else nothing. */
export function fromAllRows(): string | null {
  const same = sameOf(subject.value.alike.within);
  return same && `Neighbors are taken from all rows here; in the subject line, from ${same}.`;
}

export function SimilarityLine({ kind, used, parts, kernel }: Props) {
  const [unfolded, setUnfolded] = useState(false);
  const own = ownOf(kind);
  const apart = differences(own, subjectSimilarity(kernel));
  const changed = Object.keys(own).length > 0;
  const whole = subjectSimilarity();
  const always = kernel && kernel !== whole.kernel && own.gamma === undefined;
  const everyone = KEEPS_TO_IT.includes(kind) ? null : fromAllRows();
  const back = () => set(kind, 'alike', undefined);
  return (
    <div class={`alike ${apart.length > 0 ? 'apart' : ''}`}>
      <p>
        {used && (
          <span class="used">
            <Unbroken>{`Similarity: ${used}.`}</Unbroken>
          </span>
        )}{' '}
        {used && always && (
          <span class="always">
            The kernel is always {kernelInWords(kernel, null)}; in the subject line,{' '}
            {kernelInWords(whole.kernel ?? '', whole.gamma)}.
          </span>
        )}{' '}
        {used && everyone && <span class="always">{everyone}</span>}{' '}
        {apart.length > 0 && (
          <span class="differs">
            <span aria-hidden="true">≠ </span>
            {apart.join('. ')}.
          </span>
        )}{' '}
        {changed && (
          <>
            <button type="button" class="link" name="as-subject" onClick={back}>
              Use subject line
            </button>{' '}
            <button type="button" class="link" name="everywhere" onClick={() => everywhere(kind)}>
              Apply everywhere
            </button>
          </>
        )}
      </p>
      {parts.length > 0 && (
        <details class="fold" open={unfolded} onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
          <summary>Similarity, this panel only</summary>
          {unfolded && (
            <SimilarityChoices
              kind={kind}
              now={similarityIn(kind)}
              parts={parts}
              kernel={kernel}
              put={(part) => chooseSimilarity(part, kind)}
            />
          )}
        </details>
      )}
    </div>
  );
}
