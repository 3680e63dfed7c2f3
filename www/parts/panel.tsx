// A question: it asks the core for one kind of analysis of the last run, again whenever a setting, the subject or the
// run is another. Its finding comes first, its settings are folded.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { offerOf } from '../engine/localcal.js';
import {
  beside,
  goTo,
  inReport,
  open,
  panels,
  putBack,
  putInReport,
  report,
  set,
  setAll,
  subject,
} from '../state/store.js';
import { similarityIn } from '../state/similarity.js';
import { spaceIn, wantedPlace } from '../state/space.js';
import type { Part } from '../subject/similarity.js';
import { SimilarityLine } from '../subject/similarity_line.js';
import { featuresInWords, numberOf } from '../subject/similarity_words.js';
import { useAnalysis, type Trouble } from './analysis.js';
import { Blocks, type Blocked } from './block.js';
import { descriptionOf, methodTitle } from './catalogue.js';
import { Named } from './figure.js';
import { Said } from './message.js';
import { Form, fieldsOf, unlessDefault, type Offered } from './form.js';
import { wide } from './wide.js';
import { Reading, Worded } from './worded.js';
import { lowered, whole } from './words.js';

type Description = wasm_bindgen.Description;
/** The part of an answer that every sheet has. */
interface Sheeted {
  sheet: wasm_bindgen.Sheet;
  /** what was found, where the sheet does not begin with it */
  sentence?: string;
  verdict?: wasm_bindgen.Verdict;
  columns: Blocked['columns'];
}

/**
 * Whether an analysis has a bandwidth and no choice of the kernel: that is exp(−γ ‖Δ‖²) on covariates then, whatever the
 * subject weighs with.
 */
const isSquared = ({ options }: Pick<Description, 'options'>): boolean => {
  const has = (option: string) => options.some(({ name }) => name === option);
  return has('gamma') && !has('kernel');
};
/** Analyses that have coordinates of their own, unless a person chose some. */
const OWN_PLACE = ['bias_plot'];

/** Columns of numbers among those that a person chose to define similarity; null: none were chosen. */
export function similarityColumns(): string[] | null {
  const data = open.value?.data;
  const { of } = subject.value.alike.place ?? {};
  const numbers = data && of ? offerOf(data).columns.filter((name) => of.includes(name)) : [];
  return numbers.length > 0 ? numbers : null;
}

/** Names of the methods of the last run. */
const methodsOfRun = (): string[] => report.value?.methods.map(({ name }: { name: string }) => name) ?? [];

/** What the options of an analysis can name, of the open file and the last run. */
function offered(): Offered {
  const data = open.value?.data;
  const columns = data ? offerOf(data).choices : { groups: [], numbers: [], dates: [] };
  return { columns, methods: methodsOfRun().map((name) => [name, methodTitle(name)]) };
}

/** What an analysis takes from the subject, for each of its options that the subject has a say in. */
function fromSubject({ kind: analysis, options }: Description): Record<string, unknown> {
  const { groups, repair } = subject.value;
  const methods = methodsOfRun();
  const says = ({ kind, name }: wasm_bindgen.DescribedOption): [string, unknown][] => {
    if (kind === 'method' && repair && methods.includes(repair)) return [[name, repair]];
    if (kind === 'features') return [];
    if (typeof kind !== 'object') return [];
    if ('columns' in kind && name === 'features') {
      const numbers = similarityColumns();
      return numbers ? [[name, numbers]] : [];
    }
    if (!groups?.length) return [];
    // two columns would be asked for their pairs
    if ('columns' in kind && kind.columns === 'groups')
      return [[name, name === 'groups' ? groups : groups.slice(0, 1)]];
    if ('column' in kind && kind.column === 'groups') return [[name, groups[0]]];
    return [];
  };
  return { ...Object.fromEntries(options.flatMap(says)), ...nearness({ kind: analysis, options }) };
}

/** Similarity in an analysis, by those of its options that say so. */
function nearness({ kind, options }: Pick<Description, 'kind' | 'options'>): Record<string, unknown> {
  const takes = (option: string) => options.some(({ name, kind: of }) => name === option && of !== 'handed_over');
  if (!options.some(({ kind: of }) => of === 'features')) return {};
  const similarity = similarityIn(kind);
  const place = !OWN_PLACE.includes(kind) || similarity.place ? spaceIn(kind)?.features : undefined;
  const gamma = isSquared({ options }) && similarity.kernel === 'rbf' ? similarity.gamma : undefined;
  const all = {
    features: place,
    gamma,
    width_p: similarity.width_p,
    neighbours: similarity.neighbours,
    distance: similarity.distance,
  };
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== undefined && takes(name)));
}

/** What a panel asks: the subject's choices, and before them its own. `more`: besides, that no setting holds. */
export function requestOf(description: Description, more: Record<string, unknown> = {}): Record<string, unknown> {
  const { alike: _, ...own } = panels.value[description.kind] ?? {};
  return { ...fromSubject(description), ...more, ...own };
}

/** What of the similarity a panel can have otherwise: the options of its analysis that say so. */
function similarityParts({ options }: Description): Part[] {
  if (!options.some(({ kind: of }) => of === 'features')) return [];
  const names = options.filter(({ kind: of }) => of !== 'handed_over').map(({ name }) => name);
  const parts: Part[] = ['gamma', 'width_p', 'neighbours', 'distance'];
  const has = (part: Part) => names.includes(part) && (part !== 'gamma' || isSquared({ options }));
  return ['place', ...parts.filter(has)];
}

/** Fields that the picker replaces; rules by which a KLCE test finds its γ are its own. */
const isSimilarityField = ({ option, kind }: wasm_bindgen.Field, parts: Part[]) =>
  'coordinates' in kind || ((parts as string[]).includes(option) && (option !== 'gamma' || 'number' in kind));

/** What an option of an analysis is where no one says. */
function usualOf({ options }: Description, option: string): number | undefined {
  const of = options.find(({ name }) => name === option)?.kind;
  return typeof of === 'object' && 'number' in of ? (of.number.usual ?? undefined) : undefined;
}

/** The similarity in an answer, by its form, else by what it was asked. */
function similarityUsed(
  description: Description,
  fields: wasm_bindgen.Field[],
  request: Record<string, unknown>,
): string {
  const of = (option: string) => {
    if (typeof request[option] === 'number') return request[option];
    const found = fields.find((one) => one.option === option)?.kind;
    if (!found) return request[option] ?? usualOf(description, option);
    if ('number' in found) return found.number.value;
    if ('choice' in found) return found.choice.choices.find(([value]) => value === found.choice.value)?.[1];
    if (!('coordinates' in found)) return undefined;
    const { value, components } = found.coordinates;
    return components ? { pca: components, of: value } : value;
  };
  const features = of('features') as wasm_bindgen.FeatureChoice | undefined;
  const [gamma, width, neighbours] = [of('gamma'), of('width_p'), of('neighbours')];
  return [
    features ? featuresInWords(features) : 'the plotted covariate and its groups (default)',
    isSquared(description) && `RBF, γ ${typeof gamma === 'number' ? `= ${numberOf(gamma)}` : (gamma ?? 'by default')}`,
    typeof width === 'number' && `score bandwidth ${numberOf(width)}`,
    typeof neighbours === 'number' && `K = ${neighbours}`,
    of('distance') as string | undefined,
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * Whether a document can hold an analysis: those with a sheet. What is drawn here is a part of the document anyway, and
 * models are other files; counts have no document.
 */
export const reportable = (kind: string): boolean =>
  descriptionOf(kind)?.shown === 'sheet' && kind !== 'models' && documented();

interface PanelProps {
  kind: string;
  /** what is asked with besides, that no link can hold */
  more?: Record<string, unknown>;
  /** receives a fault, and what the answer that stays was asked with */
  refused?: (request: Record<string, unknown>) => void;
  /** are below the finding */
  children?: ComponentChildren;
}
export function Panel({ kind, more = {}, refused, children }: PanelProps) {
  const description = descriptionOf(kind);
  const lack = lacking(description);
  // a document knows no other files
  const alone = !(more.others instanceof Array && more.others.length > 0);
  return (
    <Question
      kind={kind}
      title={description?.title ?? ''}
      about={description?.plain}
      keeps={alone && !lack && reportable(kind)}
    >
      {lack ? <Lacking why={lack} /> : description && <Sheet {...{ description, more, refused, children }} />}
    </Question>
  );
}

/** What the open file has not, and the way to say that it has. */
export const Lacking = ({ why }: { why: string }) => (
  <div class="lacking">
    <p>
      <Worded>{why}</Worded>
    </p>
    <p>
      <button type="button" class="quiet" onClick={() => goTo('data')}>
        Open Data
      </button>
    </p>
  </div>
);

/** What the open file has not that an analysis needs: as its description states it, or a question that is drawn here. */
export const lacking = (asks: Partial<Pick<Description, 'needs'>> | undefined): string | undefined => {
  const data = open.value?.data;
  // a file without features has coordinates once a person chose what the model says
  const placed = data && wantedPlace(data, similarityIn()) !== null;
  const wanting = data ? offerOf(data).lacks.filter(({ need }) => need !== 'features' || !placed) : [];
  return wanting.find(({ need }) => asks?.needs?.includes(need))?.why;
};

/** Whether a document can be made of the open file: counts of rows have none. */
export const documented = (): boolean => lacking(descriptionOf('document')) === undefined;

interface QuestionProps {
  kind: string;
  title: string;
  about?: string;
  /** whether a document can hold the answer; unless told, those that the core describes with a sheet */
  keeps?: boolean;
  /** it has the answer anyway */
  written?: boolean;
  children: ComponentChildren;
}
/** The frame of every panel: the question, ways to keep its answer, the answer. */
export function Question({ kind, title, about, keeps = reportable(kind), written, children }: QuestionProps) {
  const added = inReport.value.includes(kind);
  const pinned = beside.value === kind;
  return (
    <section class="sheet" data-sheet={kind} aria-labelledby={`question-${kind}`}>
      <header class="question">
        <h2 id={`question-${kind}`} tabIndex={-1}>
          {title}
        </h2>
        <p class="row tools">
          {wide.value && (
            <button
              type="button"
              class="quiet"
              aria-pressed={pinned}
              title="Keep this panel on the right beside another one"
              onClick={() => (beside.value = pinned ? null : kind)}
            >
              {pinned ? 'Pinned ✓' : 'Pin to the right'}
            </button>
          )}
          {written && documented() && <span class="muted">In report</span>}
          {keeps && (
            <button type="button" class="quiet" aria-pressed={added} onClick={() => putInReport(kind, !added)}>
              {added ? 'In report ✓' : 'Add to report'}
            </button>
          )}
        </p>
        {about && <p class="about">{about}</p>}
      </header>
      <Named.Provider value={title}>{children}</Named.Provider>
    </section>
  );
}

interface SheetProps extends Pick<PanelProps, 'refused' | 'children'> {
  description: Description;
  more: Record<string, unknown>;
  /** its settings stand elsewhere */
  bare?: boolean;
}
/** One answer of an analysis: its finding, its settings, and what it is based on. */
export function Sheet({ description, more, refused, bare = false, children }: SheetProps) {
  const { kind, running } = description;
  const place = useRef<HTMLDivElement>(null);
  const settings = panels.value[kind] ?? {};
  const request = requestOf(description, more);
  const parts = similarityParts(description);
  const asked = useAnalysis<Sheeted>(kind, request, { place, settings });
  const { trouble, stale, current, settings: answered } = asked;
  // of another run nothing is below a fault
  const answer = trouble?.is === 'fault' && !current ? null : asked.answer;
  const { fit } = asked;

  // its form and its findings stay those of the last answer
  useLayoutEffect(() => {
    // what a lost worker did not answer is no refusal of what was asked
    if (trouble?.is !== 'fault' || mayPass(trouble)) return;
    if (answer) putBack(kind, answered);
    refused?.(answer ? asked.request : {});
  }, [trouble]);

  const blocks = answer?.sheet.blocks ?? [];
  const form = answer?.sheet.fields ?? fieldsOf(description, offered(), request);
  const fields = form.filter((field) => !isSimilarityField(field, parts));
  const { alike: _, ...own } = settings;
  const changed = Object.keys(own).length > 0;
  const put = (option: string, value: unknown) => set(kind, option, answer ? value : unlessDefault(value));
  const before = leading(blocks);
  // the finding comes first, with the heading that it is under
  const reading = before === 0 ? answer?.sentence : undefined;
  const why = untestedBecause(answer);
  return (
    <div class={`answer ${stale ? 'stale' : ''}`} ref={place}>
      {trouble && (
        <TroubleView trouble={trouble} settled={Boolean(answer)} usual={changed ? () => usual(kind) : undefined} />
      )}
      {!answer && !trouble && <p class="pending">{running} …</p>}
      {reading && <Found why={why}>{reading}</Found>}
      {blocks.slice(0, before).map((block, i) => (
        <Leading key={i} block={block} why={why} />
      ))}
      {children}
      {parts.length > 0 && !bare && (
        <SimilarityLine
          kind={kind}
          used={answer && similarityUsed(description, answer.sheet.fields, asked.request)}
          parts={parts}
          kernel={parts.includes('gamma') ? 'rbf' : undefined}
        />
      )}
      {!bare && fields.length > 0 && (
        <Settings changed={changed} usual={() => usual(kind)}>
          <Form {...{ fields, settings, answered }} put={put} />
        </Settings>
      )}
      {answer && fit && (
        <Blocks
          key={kind}
          name={kind}
          blocks={blocks}
          from={before}
          of={fit}
          drawn={async (width) => {
            const { sheet, columns } = await fit(width);
            return { blocks: sheet.blocks, columns };
          }}
          withheld={async (width, suppress) => {
            const { sheet, columns } = await asked.withheld!(width, suppress);
            return { blocks: sheet.blocks, columns };
          }}
        />
      )}
    </div>
  );
}

/** Why an answer has no test, as a sentence; none: it has one. */
function untestedBecause(answer: Sheeted | null): string | null {
  const { evidence } = answer?.verdict ?? {};
  return evidence && 'untested' in evidence ? `${evidence.untested}.` : null;
}

/** What was found; that nothing was tested is no finding, and not in the letters of one. */
const Found = ({ children: text, why }: { children: string; why: string | null }) =>
  text === why ? (
    <p class="untested">
      <Worded>{text}</Worded>
    </p>
  ) : (
    <Reading>{text}</Reading>
  );

/** What was found, or what it is under. */
function Leading({ block, why }: { block: wasm_bindgen.Block; why: string | null }) {
  if (typeof block !== 'object') return null;
  if ('heading' in block) return <h3>{block.heading}</h3>;
  return 'reading' in block ? <Found why={why}>{block.reading}</Found> : null;
}

/** How many blocks a sheet begins with that say what was found: a reading, and the heading above it. */
function leading(blocks: wasm_bindgen.Block[]): number {
  const reading = blocks.findIndex((block) => typeof block === 'object' && 'reading' in block);
  const headed = blocks.slice(0, reading).every((block) => typeof block === 'object' && 'heading' in block);
  return headed ? reading + 1 : 0;
}

/** Every setting of its form as the core chooses. */
function usual(kind: string) {
  const { alike } = panels.peek()[kind] ?? {};
  setAll(kind, alike ? { alike } : {});
}

/** The settings of a panel, folded. */
export function Settings({
  changed,
  usual: reset,
  children,
}: {
  changed: boolean;
  usual: () => void;
  children: ComponentChildren;
}) {
  return (
    <details class="settings">
      <summary>Settings{changed && <span class="muted"> (changed)</span>}</summary>
      {children}
      {changed && (
        <button type="button" class="quiet" onClick={reset}>
          Restore defaults
        </button>
      )}
    </details>
  );
}

/** Codes of failures that another attempt may not have: of the workers, not of what was asked. */
const PASSING = ['panic', 'memory', 'worker_lost', 'internal'];

/** Whether the same question may be answered when it is asked again. */
export const mayPass = (trouble: Trouble) =>
  trouble.is === 'cancelled' ||
  (trouble.is === 'fault' && PASSING.includes((trouble.error as { code?: string })?.code ?? ''));

/** Why there is no answer, and what can be done about it. `settled`: an older answer is below. */
export function TroubleView({
  trouble,
  settled,
  usual: reset,
}: {
  trouble: Trouble;
  settled: boolean;
  usual?: () => void;
}) {
  if (trouble.is === 'costly')
    return (
      <button type="button" class="quiet start" onClick={trouble.start}>
        Start: {lowered(trouble.label)} (about {whole(Math.ceil(trouble.cost / 1000))} s)
      </button>
    );
  if (trouble.is === 'cancelled')
    return (
      <p>
        {trouble.label}: canceled.{' '}
        <button type="button" class="quiet" onClick={trouble.start}>
          Start again
        </button>
      </p>
    );
  // what no setting caused is no alarm: these rows do not have what is asked
  const calm = !settled && !mayPass(trouble) && !reset;
  return (
    <div class={`alert ${calm ? 'calm' : ''}`} role={calm ? 'status' : 'alert'}>
      <Said error={trouble.error} />
      {mayPass(trouble) && (
        <button type="button" class="quiet" onClick={trouble.start}>
          Try again
        </button>
      )}
      {!settled && reset && (
        <button type="button" class="quiet" onClick={reset}>
          Restore defaults
        </button>
      )}
    </div>
  );
}
