// A part of a sentence that is a button: its choice opens right beneath it, not modal; Esc closes it.

import type { ComponentChildren } from 'preact';
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A name of its own: the page has several roots, and names that are counted in each would meet. */
let named = 0;
const useName = () => useState(() => `choice-${(named += 1)}`)[0];

/** Which choice is open; one at a time. */
const opened = signal<string | null>(null);

/** What is chosen with a pointer is chosen; who goes through the options by arrow keys goes on. */
const closeByPointer = ({ detail, currentTarget }: MouseEvent) => {
  const button = (currentTarget as Element).closest('.choice')?.querySelector<HTMLElement>('.part');
  const { value: mine } = opened;
  // not before it is chosen: the choice must be there until then
  const close = () => {
    if (opened.value !== mine) return;
    opened.value = null;
    button?.focus();
  };
  if (detail > 0) setTimeout(close);
};

interface Props {
  /** what is chosen now, as part of a sentence */
  now: ComponentChildren;
  /** what is chosen, for who hears the button alone */
  label: string;
  /** something is wrong with what is chosen */
  unsure?: boolean;
  /** there is much to choose */
  wide?: boolean;
  children: ComponentChildren;
}

/** The choice stays within the window. */
function withinWindow(choices: HTMLElement) {
  choices.style.marginLeft = '';
  const { left, right } = choices.getBoundingClientRect();
  const shift = Math.min(0, innerWidth - EDGE - right) + Math.max(0, EDGE - left);
  if (shift !== 0) choices.style.marginLeft = `${shift}px`;
}
const EDGE = 8;

/** Goes to the first control; of options of which one is chosen, to that one, as Tab would. */
function focusFirst(choices?: HTMLElement | null) {
  const first = choices?.querySelector<HTMLElement>(':is(input, select, button)');
  const chosen = first?.matches('[type="radio"]') && first.closest('fieldset')?.querySelector<HTMLElement>(':checked');
  (chosen || first)?.focus({ preventScroll: true });
}

export function Choice({ now, label, unsure = false, wide = false, children }: Props) {
  const id = useName();
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const shown = opened.value === id;
  const plain = label.replaceAll('`', '');
  const close = () => {
    opened.value = null;
    button.current?.focus();
  };
  // in the same step as it is shown: keys and clicks that come at once are heard
  useLayoutEffect(() => {
    if (!shown) return;
    const outside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) opened.value = null;
    };
    focusFirst(root.current?.querySelector<HTMLElement>('.choices'));
    // on a phone the line of the subject scrolls, and nothing else: what is changed is seen with its name
    const line = root.current?.closest<HTMLElement>('#subject');
    const part = root.current?.closest<HTMLElement>('#subject > *');
    if (line && part) line.scrollLeft = part.offsetLeft + part.offsetWidth / 2 - line.clientWidth / 2;
    const choices = root.current?.querySelector<HTMLElement>('.choices');
    // what is chosen makes parts longer, and moves those after them
    const moved = new ResizeObserver(() => choices && withinWindow(choices));
    for (const part of document.querySelectorAll('.part')) moved.observe(part);
    // what had the focus may be gone with what was chosen
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.target !== document.body) return;
      event.stopPropagation();
      close();
    };
    document.addEventListener('keydown', escape, true);
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      moved.disconnect();
      document.removeEventListener('keydown', escape, true);
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [shown]);
  return (
    <span
      class="choice"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !shown) return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        type="button"
        ref={button}
        class={`part ${unsure ? 'unsure' : ''}`}
        aria-expanded={shown}
        aria-controls={id}
        title={plain}
        onClick={() => (opened.value = shown ? null : id)}
      >
        <span class="words">{now}</span>
        <span class="mark" aria-hidden="true">
          ▾
        </span>
      </button>
      <div class={`choices ${wide ? 'wide' : ''}`} id={id} hidden={!shown} role="group" aria-label={plain}>
        {shown && children}
      </div>
    </span>
  );
}

interface One {
  /** says what is chosen between */
  legend: string;
  /** a value and what it is called */
  options: [value: string, title: ComponentChildren][];
  value: string | null;
  choose: (value: string) => void;
}

/** One of a few: every one in sight. */
export function OneOf({ legend, options, value, choose }: One) {
  const name = useName();
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(([one, title]) => (
        <label class="check" key={one} onClick={closeByPointer}>
          <input type="radio" name={name} value={one} checked={one === value} onChange={() => choose(one)} /> {title}
        </label>
      ))}
    </fieldset>
  );
}

interface Some {
  legend: string;
  options: string[];
  value: string[];
  choose: (value: string[]) => void;
}

/** Any of several, in their order. */
export function SomeOf({ legend, options, value, choose }: Some) {
  const toggle = (one: string) => () =>
    choose(options.filter((name) => (name === one ? !value.includes(name) : value.includes(name))));
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map((one) => (
        <label class="check" key={one}>
          <input type="checkbox" value={one} checked={value.includes(one)} onChange={toggle(one)} /> {one}
        </label>
      ))}
    </fieldset>
  );
}
