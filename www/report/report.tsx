// Report: the destination. A document that is previewed as it will be read, its parts and remarks, and what can be
// taken away: documents, tables, figures, and files about rows.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useCompared } from '../explore/compared.js';
import { descriptionOf } from '../parts/catalogue.js';
import { Said } from '../parts/message.js';
import { Lacking, lacking } from '../parts/panel.js';
import { open, report, usable } from '../state/store.js';
import { aboutRecalibration } from './sections.js';
import { Files } from './files.js';
import { Options } from './options.js';
import { loaded, print, printable, question, stale, write, written } from './previewed.js';

export function Report() {
  useLayoutEffect(() => {
    addEventListener('keydown', printSheet);
    return () => removeEventListener('keydown', printSheet);
  }, []);
  useCompared(aboutRecalibration());
  if (!open.value || !usable.value) return <Files />;
  const lack = lacking(descriptionOf('document'));
  if (lack)
    return (
      <section id="report" aria-labelledby="report-title">
        <h1 id="report-title">Report</h1>
        <Lacking why={lack} />
        <p>Results computed from the counts can be saved.</p>
        <Files />
      </section>
    );
  return (
    <section id="report" aria-labelledby="report-title">
      <div class="desk">
        <div class="side">
          <h1 id="report-title">Report</h1>
          <Options />
          <Files />
        </div>
        <Preview />
        <p class="on-paper">
          To print the report, press Ctrl+P on the page, or use “Print or save as PDF” there: the browser’s menu prints
          this note.
        </p>
      </div>
    </section>
  );
}

/** The keys that print a page print the document, which is what is looked at here. */
function printSheet(event: KeyboardEvent) {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'p' || !printable.peek()) return;
  event.preventDefault();
  print();
}

/** Whether the keyboard has come to the frame: all that its page learns is that it has lost the focus itself. */
function useTabbedInto(frame: { current: HTMLIFrameElement | null }): boolean {
  const [into, setInto] = useState(false);
  useEffect(() => {
    let tab = false;
    const key = ({ type, key }: KeyboardEvent) => (tab = type === 'keydown' && key === 'Tab');
    const left = () => setInto(tab && frame.current !== null && document.activeElement === frame.current);
    const back = () => {
      tab = false;
      setInto(false);
    };
    const heard = new AbortController();
    const { signal } = heard;
    addEventListener('keydown', key, { capture: true, signal });
    addEventListener('keyup', key, { capture: true, signal });
    addEventListener('blur', left, { signal });
    addEventListener('focus', back, { signal });
    return () => heard.abort();
  }, []);
  return into;
}

/** Keys pressed in the document do what they do in the page: undo, print, cancel. */
function passOn(event: KeyboardEvent) {
  if (!event.ctrlKey && !event.metaKey && event.key !== 'Escape') return;
  if (!dispatchEvent(new KeyboardEvent('keydown', event))) event.preventDefault();
}

/** Milliseconds after the last letter of a title or a remark. */
const REST = 400;

/** The document as it will be read: a page of its own within this one, which runs nothing and may load nothing. */
function Preview() {
  const frame = useRef<HTMLIFrameElement>(null);
  const tabbedInto = useTabbedInto(frame);
  const [height, setHeight] = useState(1100);
  const data = open.value?.data;
  const of = report.value;
  const wish = question.value;
  const { html = null, error = null } = written.value ?? {};
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!data || !of || !(stale.peek() || written.peek()?.error)) return;
    const halt = new AbortController();
    const told = (html: string | null, error: unknown = null) => {
      if (!halt.signal.aborted) write({ data, of, question: wish, html, error });
    };
    const ask = () =>
      data
        .export('report', { format: 'html', ...JSON.parse(wish), signal: halt.signal })
        .then((blob) => blob.text())
        .then(told, (fault) => told(null, fault));
    const timer = setTimeout(ask, html === null ? 0 : REST);
    return () => {
      clearTimeout(timer);
      halt.abort();
    };
  }, [data, of, wish, tries]);
  // as tall as what it holds, in any width; the sheet lies on the paper of the page
  const watch = useRef<ResizeObserver | null>(null);
  useEffect(
    () => () => {
      watch.current?.disconnect();
      loaded.value = null;
    },
    [],
  );
  const fit = () => {
    loaded.value = frame.current?.srcdoc ?? null;
    frame.current?.contentDocument?.addEventListener('keydown', passOn);
    const sheet = frame.current?.contentDocument?.documentElement;
    if (!sheet) return;
    sheet.style.background = 'none';
    watch.current?.disconnect();
    watch.current = new ResizeObserver(() => setHeight(sheet.offsetHeight || 1100));
    watch.current.observe(sheet);
  };
  return (
    <div class={`preview ${stale.value ? 'stale' : ''}`} aria-busy={stale.value}>
      {error !== null && (
        <div class="alert" role="alert">
          <Said error={error} />
          <p>
            <button type="button" class="quiet" onClick={() => setTries(tries + 1)}>
              Try again
            </button>
          </p>
        </div>
      )}
      {html !== null && (
        <iframe
          ref={frame}
          id="preview"
          class={tabbedInto ? 'focused' : undefined}
          title="Report preview"
          sandbox="allow-same-origin allow-modals"
          srcdoc={html}
          style={{ height: `${height}px` }}
          onLoad={fit}
        />
      )}
    </div>
  );
}
