// Starts and ends the workers of a pool, and passes on what they send. It does not know tasks, except that a busy worker is
// replaced at once.

import { RUN } from './crew.js';
import type { Member } from './crew.js';
import { wordsOf } from './fault.js';
import type { FromWorker } from './messages.js';
import type { Hired, Surroundings } from './surroundings.js';
import { garbled, stopped } from './worker_faults.js';

export class Workers {
  /** Reason of the last refusal of a worker by the browser. */
  refusal = '';

  constructor(
    readonly hire: Surroundings['hire'],
    readonly hear: (one: Member, message: FromWorker | null) => void,
  ) {}

  /** Starts a worker; null if the browser refuses. */
  start = (one: Member): Hired | null => {
    let worker: Hired;
    try {
      worker = this.hire(`localcal worker ${crypto.getRandomValues(new Uint32Array(4)).join('-')}`);
    } catch (error) {
      this.refusal = wordsOf(error);
      return null;
    }
    worker.onmessage = ({ data }) => this.hear(one, data);
    worker.onmessageerror = () => this.hear(one, { error: garbled('its message is incomplete') });
    worker.onerror = (event) => {
      event.preventDefault();
      this.hear(one, { error: stopped(event.message) });
    };
    Object.assign(one, { worker, memory: 0 });
    one.holds.clear();
    return worker;
  };

  /** Ends a worker; it is started again when it is needed. */
  stop = (one: Member) => {
    const { worker } = one;
    Object.assign(one, { worker: null, task: null, memory: 0 });
    one.holds.clear();
    if (worker) {
      worker.onmessage = worker.onmessageerror = worker.onerror = null;
      worker.terminate();
    }
  };

  /** Ends a worker. A busy one is replaced at once, an idle one when it is needed. */
  replace = (one: Member) => {
    const busy = one.task !== null;
    this.stop(one);
    if (busy && one.least === RUN) this.start(one);
  };
}
