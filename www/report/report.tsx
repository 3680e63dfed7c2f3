// Report: the destination. A document that is previewed as it will be read, its parts and remarks, and what can be taken
// away: documents, tables, figures, and files about rows.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Said } from '../parts/message.js';
import { open, report, usable } from '../state/store.js';
import { asked } from './asked.js';
import { Files } from './files.js';
import { Options } from './options.js';

export function Report() {
  if (!open.value || !usable.value) return <Files />;
  return (
    <section id="report" aria-labelledby="report-title">
      <div class="desk">
        <div class="side">
          <h1 id="report-title">Report</h1>
          <Options />
          <Files />
        </div>
        <Preview />
      </div>
    </section>
  );
}

/** Milliseconds after the last letter of a title or a remark. */
const REST = 400;

/** The document as it will be read: a page of its own within this one, which runs nothing and may load nothing. */
function Preview() {
  const frame = useRef<HTMLIFrameElement>(null);
  const [html, setHtml] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [stale, setStale] = useState(true);
  const [height, setHeight] = useState(1100);
  const data = open.value?.data;
  const of = report.value;
  const question = JSON.stringify(asked());
  useEffect(() => {
    if (!data || !of) return;
    const halt = new AbortController();
    setStale(true);
    const write = async () => {
      try {
        const blob = await data.export('report', { format: 'html', ...JSON.parse(question), signal: halt.signal });
        setHtml(await blob.text());
        setError(null);
      } catch (fault) {
        if (!halt.signal.aborted) setError(fault);
      }
      if (!halt.signal.aborted) setStale(false);
    };
    const timer = setTimeout(write, html === null ? 0 : REST);
    return () => {
      clearTimeout(timer);
      halt.abort();
    };
  }, [data, of, question]);
  const fit = () => setHeight((frame.current?.contentDocument?.documentElement.scrollHeight ?? 0) || 1100);
  return (
    <div class={`preview ${stale ? 'stale' : ''}`} aria-busy={stale}>
      {error !== null && (
        <div class="alert" role="alert">
          <Said error={error} />
        </div>
      )}
      {html !== null && (
        <iframe
          ref={frame}
          id="preview"
          title="The report as it will be read"
          sandbox="allow-same-origin allow-modals"
          srcdoc={html}
          style={{ height: `${height}px` }}
          onLoad={fit}
        />
      )}
    </div>
  );
}
