// A part of the page that fails to render shows why, and the way back; what is around it stays.

import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Said } from './message.js';

interface Props {
  /** what is shown, in words: "The view Report" */
  name: string;
  /** puts back what it was asked to show */
  usual: () => void;
  children: ComponentChildren;
}
export function Boundary({ name, usual, children }: Props) {
  const [error, retry] = useErrorBoundary();
  if (!error) return <>{children}</>;
  const { message } = error as Error;
  return (
    <div class="alert boundary" role="alert">
      <Said
        error={Object.assign(new Error(`${name} could not be shown: ${message}`), {
          hint: 'Data and results are not affected. Restoring the default settings may help.',
        })}
      />
      <p class="row">
        <button
          type="button"
          onClick={() => {
            usual();
            retry();
          }}
        >
          Restore defaults
        </button>
        <button type="button" class="quiet" onClick={retry}>
          Try again
        </button>
      </p>
    </div>
  );
}
