// The pool with simulated workers and a simulated clock.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codedError } from './fault.js';
import { withPlans } from './plan.js';
import { ANALYSIS, QUESTION, RUN } from './crew.js';
import { createPool } from './pool.js';
import type { Answer } from './outcome.js';
import type { TaskOptions } from './pool.js';
import type { Hired } from './surroundings.js';

/** A worker that does nothing by itself. */
class Fake implements Hired {
  onmessage: Worker['onmessage'] = null;
  onmessageerror: Worker['onmessageerror'] = null;
  onerror: Worker['onerror'] = null;
  posted: any[] = [];
  ended = false;
  /** what a message may not hold, by its kind */
  refuses: string | null = null;
  constructor(readonly life: string) {}
  postMessage(message: any) {
    if (message.kind === this.refuses) throw new Error('it could not be cloned');
    this.posted.push(message);
  }
  terminate() {
    this.ended = true;
  }
  /** The job given last. */
  get run() {
    return this.posted.filter(({ kind }) => kind === 'run').at(-1);
  }
  kinds = () => this.posted.map(({ kind }) => kind);
  say(data: unknown) {
    this.onmessage?.call(this as any, { data } as MessageEvent);
  }
  answer(outcome: unknown = {}, more: object = {}) {
    this.say({ id: this.run.id, outcome: JSON.stringify(outcome), columns: [], ...more });
  }
  fail(code: string, more: object = {}) {
    this.say({ id: this.run.id, error: { code, message: `it is ${code}`, hint: '' }, ...more });
  }
}

/** A pool with all that its workers were told. `refuses`: whether the browser refuses the worker after so many others. */
function made(size = 1, refuses: (hired: number) => boolean = () => false) {
  const hired: Fake[] = [];
  const ends = new Map<string, () => void>();
  let beat: (() => void) | null = null;
  const pool = withPlans(
    createPool(
      {
        hire(life) {
          if (refuses(hired.length)) throw new Error('too many workers');
          hired.push(new Fake(life));
          return hired.at(-1) as Fake;
        },
        every(_, call) {
          beat = call;
          return () => (beat = null);
        },
        gone: (life, call) => void ends.set(life, call),
      },
      size,
    ),
  );
  return {
    ...pool,
    hired,
    /** those that live */
    there: () => hired.filter(({ ended }) => !ended),
    /** the worker that a job was given to last */
    at: (job: unknown) => hired.filter(({ run, ended }) => run?.job === job && !ended).at(-1) as Fake,
    /** ends a worker without a word */
    kill(one: Fake) {
      one.say({ life: one.life });
      ends.get(one.life)?.();
    },
    /** lets so many seconds pass, or as many as something takes to be so; answers how many did */
    pass(seconds: number, until = () => false) {
      let passed = 0;
      for (; passed < seconds && !until(); passed += 1) beat?.();
      return passed;
    },
    beating: () => beat !== null,
    asked: (job: object, options: TaskOptions = {}, needs: number[] = []) => watched(pool.submit(job, needs, options)),
  };
}

/** A call, and how it went so far. */
function watched<T = Answer>(call: Promise<T>) {
  const seen = { state: 'waits', call };
  call.then(
    () => (seen.state = 'answered'),
    (error) => (seen.state = error.code ?? String(error)),
  );
  return seen;
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a job is answered, and its outcome goes to whoever needs it', async () => {
  const { submit, hired } = made(2);
  const first = submit({ kind: 'a' });
  const column = Float64Array.of(1, 2);
  hired[0].answer({ n: 1 }, { columns: [column] });
  const { key, outcome, columns } = await first;
  assert.deepEqual([outcome, columns], [{ n: 1 }, [column]]);
  submit({ kind: 'b' }, [key]);
  submit({ kind: 'c' }, [key]);
  assert.deepEqual(hired[0].kinds(), ['run', 'run'], 'who made it keeps it');
  assert.deepEqual(hired[1].kinds(), ['keep', 'run'], 'the other is handed it');
});

test('where the browser gives no further worker, a lost job is done by one that is there', async () => {
  const { asked, at, kill } = made(2, (hired) => hired >= 2);
  const [one, other] = [{ kind: 'one' }, { kind: 'other' }];
  const [first, second] = [asked(one), asked(other)];
  kill(at(one));
  await settled();
  assert.equal(first.state, 'waits', 'it waits for the worker that is there');
  at(other).answer();
  at(one).answer();
  await settled();
  assert.deepEqual([first.state, second.state], ['answered', 'answered']);
});

test('where it gives none at all, every job says so, and goes again once it does', async () => {
  let allowed = 1;
  const { asked, at, kill } = made(1, (hired) => hired >= allowed);
  const jobs = [{ kind: 'one' }, { kind: 'two' }, { kind: 'three' }];
  const seen = jobs.map((job) => asked(job));
  kill(at(jobs[0]));
  await settled();
  assert.deepEqual(
    seen.map(({ state }) => state),
    ['worker_lost', 'worker_lost', 'worker_lost'],
  );
  await assert.rejects(seen[0].call, {
    message: /did not start a worker.*too many workers/,
    hint: /Nothing loaded is lost/,
  });
  assert.equal(asked({ kind: 'question' }, { priority: QUESTION }).state, 'waits');
  allowed = 9;
  const later = { kind: 'later' };
  const answered = asked(later);
  at(later).answer();
  await settled();
  assert.equal(answered.state, 'answered');
});

test('cancelling where the browser gives no further worker ends the call', async () => {
  const { asked, at } = made(1, (hired) => hired >= 1);
  const halt = new AbortController();
  const job = { kind: 'long' };
  const [long, next] = [asked(job, { signal: halt.signal }), asked({ kind: 'next' })];
  assert.ok(at(job));
  halt.abort();
  await settled();
  assert.deepEqual([long.state, next.state], ['cancelled', 'worker_lost']);
});

test('a pool starts with the workers that it gets, and says so if it gets none', () => {
  assert.equal(made(4, (hired) => hired >= 1).hired.length, 1);
  assert.throws(() => made(4, () => true), {
    code: 'worker_lost',
    message: /did not start a worker.*too many workers/,
  });
});

for (const [what, answer] of Object.entries({
  'that is not JSON': { outcome: '{', columns: [] },
  'without an outcome': { columns: [] },
  'without columns': { outcome: '{}' },
  'whose columns are none': { outcome: '{}', columns: [undefined] },
}))
  test(`an answer ${what} settles its job, and the next one has a fresh worker`, async () => {
    const { asked, at } = made();
    const [odd, next] = [{ kind: 'odd' }, { kind: 'next' }];
    const [first, second] = [asked(odd), asked(next)];
    const worker = at(odd);
    worker.say({ id: worker.run.id, ...answer });
    await assert.rejects(first.call, {
      code: 'panic',
      message: /answer cannot be read/,
      hint: /Nothing loaded is lost/,
    });
    assert.equal(worker.ended, true);
    at(next).answer();
    await second.call;
  });

test('a message that is nothing, or did not arrive whole, settles the job', async () => {
  for (const speak of [
    (one: Fake) => one.say(null),
    (one: Fake) => one.onmessageerror?.call(one as any, {} as MessageEvent),
    (one: Fake) => (one.onerror as any)({ preventDefault() {}, message: 'it is out of memory' }),
    (one: Fake) => (one.onerror as any)({ preventDefault() {} }),
  ]) {
    const { asked, hired } = made();
    const { call } = asked({ kind: 'job' });
    speak(hired[0]);
    await assert.rejects(call, ({ code, message }: any) => code === 'panic' && !message.includes('undefined'));
    const again = asked({ kind: 'again' });
    hired[1].answer();
    await again.call;
  }
});

test('what a worker could not keep is not held by it: the next job hands it over again', async () => {
  const pool = made(2);
  const making = { kind: 'making' };
  const base = pool.submit(making);
  pool.at(making).answer({}, { columns: [Float64Array.of(1)] });
  const { key } = await base;
  const [busy, needs] = [{ kind: 'busy' }, { kind: 'needs' }];
  pool.asked(busy, {}, [key]);
  const refused = pool.asked(needs, {}, [key]);
  const worker = pool.at(needs);
  assert.deepEqual(worker.kinds(), ['keep', 'run']);
  worker.say({ error: { code: 'internal', message: 'the outcome cannot be read', hint: '' } }); // of the keep: no job's id
  await assert.rejects(refused.call, { code: 'panic', message: /take what it needs \(the outcome cannot be read\)/ });
  const again = { kind: 'again' };
  const answered = pool.asked(again, {}, [key]);
  assert.deepEqual(pool.at(again).kinds(), ['keep', 'run']);
  pool.at(again).answer();
  await answered.call;
});

test('a fault that tells of an earlier job does not take the present one with it', async () => {
  const { asked, hired, at } = made();
  const job = { kind: 'present' };
  const seen = asked(job);
  hired[0].say({ id: 999, error: { code: 'panic', message: 'late' } });
  assert.equal(hired[0].ended, true);
  at(job).answer();
  await seen.call;
});

test('what cannot be handed over settles the job, and the worker goes on', async () => {
  const pool = made(2);
  const [first, second] = pool.hired;
  first.refuses = 'run';
  await assert.rejects(pool.asked({ kind: 'odd' }).call, { code: 'invalid_option', hint: /plain values/ });
  first.refuses = null;
  const plain = pool.submit({ kind: 'plain' });
  first.answer({}, { columns: [new Uint8Array(3e6)] });
  const { key } = await plain;
  pool.asked({ kind: 'busy' }, {}, [key]);
  second.refuses = 'keep';
  const large = pool.asked({ kind: 'large' }, {}, [key]);
  await assert.rejects(large.call, { code: 'memory', message: /3 MB to a worker \(it could not be cloned\)/ });
  second.refuses = null;
  const again = { kind: 'again' };
  const answered = pool.asked(again, {}, [key]);
  pool.at(again).answer();
  await answered.call;
  assert.deepEqual(second.kinds(), ['keep', 'run']);
});

test('a lost job is done again, once', async () => {
  const { asked, at, kill } = made();
  const job = { kind: 'job' };
  const seen = asked(job);
  kill(at(job));
  await settled();
  assert.equal(seen.state, 'waits');
  kill(at(job));
  await assert.rejects(seen.call, { code: 'worker_lost', message: /Two workers stopped answering/ });
});

test('memory that was refused is asked for once more, in a fresh worker', async () => {
  const { asked, at } = made();
  const job = { kind: 'job' };
  const seen = asked(job);
  const first = at(job);
  first.fail('memory');
  assert.equal(first.ended, true);
  at(job).fail('memory');
  await settled();
  assert.equal(seen.state, 'memory');
});

test('a question and an analysis are not behind a run', () => {
  const { asked, at } = made(1);
  const [long, other, analysis, question] = ['long', 'other', 'analysis', 'question'].map((kind) => ({ kind }));
  asked(long, { priority: RUN });
  asked(other, { priority: RUN });
  asked(analysis, { priority: ANALYSIS });
  asked(question, { priority: QUESTION });
  assert.ok(at(long) && at(analysis) && at(question));
  assert.equal(at(other), undefined);
});

/** Seconds after which a silent worker is given up, for a job that is expected to take so many milliseconds. */
async function patienceOf({ asked, at, pass }: ReturnType<typeof made>, cost: number) {
  const job = { kind: 'silent' };
  const halt = new AbortController();
  const seen = asked(job, { cost, signal: halt.signal });
  const worker = at(job);
  const seconds = pass(1e7, () => worker.ended);
  halt.abort();
  await settled();
  assert.equal(seen.state, 'cancelled');
  return seconds;
}

/** Does a job of some cost that takes so many times as long. */
async function took({ asked, at }: ReturnType<typeof made>, cost: number, times: number) {
  const job = { kind: 'timed' };
  const { call } = asked(job, { cost });
  at(job).answer({}, { took: times * cost });
  await call;
}

test('one slow job makes nobody wait for days, and is forgotten', async () => {
  const pool = made();
  const before = await patienceOf(pool, 10_000);
  assert.equal(before, 60 + 300 + 1);
  await took(pool, 200, 14_400); // the machine slept
  const slow = await patienceOf(pool, 10_000);
  assert.equal(slow, 3600 + 1, 'no longer than an hour');
  for (let i = 0; i < 20; i += 1) await took(pool, 200, 1);
  assert.equal(await patienceOf(pool, 10_000), before);
});

test('a slow machine is given the time that it needs, and a long job all of its own', async () => {
  const pool = made();
  await took(pool, 1000, 4);
  assert.equal(await patienceOf(pool, 10_000), 60 + 4 * 300 + 1);
  assert.equal(await patienceOf(pool, 600_000), 60 + 18_000 + 1, 'an hour is no bound for what takes long anywhere');
});

test('who says something is not given up', async () => {
  const { asked, at, pass } = made();
  const job = { kind: 'job' };
  const told: number[] = [];
  const seen = asked(job, { onProgress: (fraction) => told.push(fraction) });
  const worker = at(job);
  for (let i = 1; i <= 5; i += 1) {
    pass(50);
    worker.say({ id: worker.run.id, progress: i / 10 });
  }
  assert.equal(worker.ended, false);
  worker.answer();
  await seen.call;
  assert.deepEqual(told, [0.1, 0.2, 0.3, 0.4, 0.5]);
});

test('nothing beats where nothing is done', async () => {
  const { asked, hired, pass, beating } = made();
  const seen = asked({ kind: 'job' });
  assert.equal(beating(), true);
  hired[0].answer({}, { memory: 700e6 });
  await seen.call;
  pass(3);
  assert.equal(beating(), false);
});

test('an outcome that was freed is no more: a job that needs it fails, and does not say that a data set was closed', async () => {
  const { submit, asked, hired, free } = made();
  const first = submit({ kind: 'base' });
  hired[0].answer();
  const { key } = await first;
  asked({ kind: 'busy' });
  const waiting = asked({ kind: 'waits' }, {}, [key]);
  free(key);
  hired[0].answer();
  await settled();
  await assert.rejects(waiting.call, { code: 'internal', message: /a result that it needs is no longer held/ });
  assert.ok(hired[0].kinds().includes('forget'));
  await assert.rejects(submit({ kind: 'late' }, [key]), { code: 'internal' });
});

test('a job of a data set that was closed says so, also where its outcomes are freed before it starts', async () => {
  const { submit, asked, hired, free } = made();
  const first = submit({ kind: 'base' });
  hired[0].answer();
  const { key } = await first;
  const life = new AbortController();
  asked({ kind: 'busy' });
  const waiting = asked({ kind: 'waits' }, { signal: life.signal }, [key]);
  life.abort(codedError({ code: 'closed', message: 'The data set was closed.' }));
  free(key);
  hired[0].answer();
  await settled();
  assert.equal(waiting.state, 'closed');
  await assert.rejects(submit({ kind: 'late' }, [key], { signal: life.signal }), { code: 'closed' });
});

/** Three workers: one holds a result of 150 MB and is at work again, the others are idle and take 50 MB each. */
async function crowded() {
  const pool = made(3);
  const [making, ...idle] = [{ kind: 'making' }, { kind: 'idle' }, { kind: 'idle, too' }];
  const base = pool.submit(making);
  const others = idle.map((job) => pool.submit(job));
  const workers = [making, ...idle].map((job) => pool.at(job));
  workers.slice(1).forEach((one) => one.answer({}, { memory: 50e6 }));
  workers[0].answer({}, { columns: [new Uint8Array(150e6)], memory: 160e6 });
  await Promise.all(others);
  return { pool, workers, key: (await base).key };
}

test('a task that waits for memory ends no worker, and its results stay where they are', async () => {
  const { pool, workers, key } = await crowded();
  const [first, second] = [{ kind: 'first' }, { kind: 'second' }];
  pool.asked(first, {}, [key]);
  assert.equal(pool.at(first), workers[0]);
  const waiting = pool.asked(second, {}, [key]);
  assert.deepEqual(
    workers.map(({ ended }) => ended),
    [false, false, false],
  );
  workers[0].answer({}, { memory: 160e6 });
  await settled();
  assert.equal(pool.at(second), workers[0], 'it waits for the worker that has what it needs');
  workers[0].answer();
  await waiting.call;
});

test('a task that starts takes the memory of idle workers, of no more than it needs', async () => {
  const { pool, workers, key } = await crowded();
  const filling = pool.submit({ kind: 'filling' }, [key]);
  workers[0].answer({}, { columns: [new Uint8Array(20e6)], memory: 180e6 });
  await filling;
  // 3 × 170 MB are expected, beside two idle workers of 50 MB each
  const large = { kind: 'large' };
  pool.asked(large, {}, [key, (await filling).key]);
  assert.equal(pool.at(large), workers[0]);
  assert.deepEqual(
    workers.map(({ ended }) => ended),
    [false, false, true],
  );
});

/** A plan whose nodes need those before them by place; place 0 is the base. */
function planOf(...needs: number[][]) {
  const nodes = needs.map((needs, i) => ({ needs, job: i, cost: 1, label: `step ${i}` }));
  return { outcome: { kind: 'plan' as const, nodes }, columns: nodes.map((_, i) => Uint8Array.of(i)) };
}

/** The key of an outcome to begin with. */
async function based(pool: ReturnType<typeof made>) {
  const first = pool.submit({ kind: 'base' });
  pool.hired[0].answer();
  return (await first).key;
}

test('a plan runs each step when what it needs is there, answers the last, and frees the others', async () => {
  const pool = made(2);
  const base = await based(pool);
  const told: number[] = [];
  const answer = pool.graph(planOf([0], [0], [1, 2]), [base], { onProgress: ({ done }) => told.push(done) });
  for (let i = 0; i < 3; i += 1) {
    await settled();
    for (const one of pool.there())
      if (one.run?.job.length && !one.run.done) {
        one.run.done = true;
        one.answer({ step: one.run.job[0] });
      }
  }
  const { outcome, key } = await answer;
  assert.deepEqual(outcome, { step: 2 });
  assert.equal(told.at(-1), 3);
  await assert.rejects(pool.submit({ kind: 'of a step' }, [key - 1]), { code: 'internal' });
});

test('a step that fails ends the plan: its other steps are cancelled, and nothing is left', async () => {
  const pool = made(2);
  const base = await based(pool);
  const seen = watched(pool.graph(planOf([0], [0], [1, 2]), [base]));
  await settled();
  const working = pool.there().filter(({ run }) => run?.job.length);
  assert.equal(working.length, 2);
  working[0].say({ id: working[0].run.id, outcome: 'no JSON', columns: [] });
  await settled();
  assert.equal(seen.state, 'panic');
  assert.equal(working[1].ended, true);
});

/** Numbers between 0 and 1, the same ones for the same seed. */
function random(seed: number) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

test('whatever workers do and the browser refuses, every job settles', async () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const next = random(seed * 7919);
    const pick = <T>(of: T[]): T => of[Math.floor(next() * of.length)];
    let generous = true;
    const pool = made(1 + (seed % 3), () => !generous && next() < 0.6);
    const calls: ReturnType<typeof watched>[] = [];
    const halts: AbortController[] = [];
    const keys: number[] = [];
    const ask = () => {
      const halt = new AbortController();
      halts.push(halt);
      const needs = keys.length > 0 && next() < 0.5 ? [pick(keys)] : [];
      const seen = pool.asked(
        { n: calls.length },
        { signal: halt.signal, priority: pick([RUN, ANALYSIS, QUESTION]) },
        needs,
      );
      seen.call.then(
        ({ key }) => keys.push(key),
        () => {},
      );
      calls.push(seen);
    };
    const working = () => pool.there().filter(({ run, onmessage }) => run && onmessage);
    for (let step = 0; step < 60; step += 1) {
      const one = working().length > 0 ? pick(working()) : null;
      const act = pick<() => void>([
        ask,
        ask,
        ask,
        () => one?.answer({}, { took: 1e9 * next(), memory: 9e8 * next() }),
        () => one?.answer(),
        () => one?.fail(pick(['memory', 'panic', 'invalid_option', 'internal'])),
        () => one?.say(pick<unknown>([null, {}, { id: one.run.id }, { id: one.run.id, outcome: '{', columns: [] }])),
        () => one?.say({ error: { code: 'internal', message: 'of a keep' } }),
        () => one && pool.kill(one),
        () => halts.length > 0 && pick(halts).abort(),
        () => keys.length > 0 && pool.free(pick(keys)),
        () => pool.pass(pick([1, 100])),
        () => one && (one.refuses = pick([null, 'run', 'keep'])),
        () => (generous = next() < 0.7),
      ]);
      act();
      if (next() < 0.4) await settled();
    }
    generous = true;
    for (let i = 0; i < 400 && calls.some(({ state }) => state === 'waits'); i += 1) {
      for (const one of working()) one.answer();
      await settled();
    }
    const waits = calls.filter(({ state }) => state === 'waits').length;
    assert.equal(waits, 0, `${waits} of ${calls.length} jobs of seed ${seed} never settle`);
    const odd = calls.find(({ state }) => !/^[a-z_]+$/.test(state));
    assert.equal(odd?.state, undefined, `seed ${seed}`);
  }
});

test('a request with a number that is not finite is refused, and no worker is told', async () => {
  const { submit, hired } = made();
  const refused = submit({ kind: 'export_session', suppress: NaN });
  await assert.rejects(refused, {
    code: 'invalid_option',
    message: 'suppress is NaN; it must be a finite number.',
  });
  assert.deepEqual(hired[0].kinds(), []);
});
