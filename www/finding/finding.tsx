import { presentationOf } from '../engine/localcal.js';
import { open, report } from '../state/store.js';

export function Finding() {
  const data = open.value?.data;
  const words = data && report.value && presentationOf(data);
  return <section id="finding">{words && <h1>{words.headline}</h1>}</section>;
}
