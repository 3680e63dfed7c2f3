// Learn: ten screens on data whose truth is known, for a class. Links hold the state; nothing leaves the page.

import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Theme } from '../engine/theme.js';
import { setTheme } from '../engine/theme.js';
import { Class, Handout } from './class.js';
import { leadsOnByKey, releaseFocus } from './keys.js';
import { LESSON } from './lesson.js';
import { Screen } from './screen.js';
import { WORDS, change, hidden, lab, linkOf, screensOf, show, stateOf } from './state.js';

/** Tells the page that embeds this one how high it is. */
function useEmbedding(embed: boolean) {
  useEffect(() => {
    document.documentElement.classList.toggle('embedded', embed);
    if (!embed || window.parent === window) return;
    const tell = () =>
      window.parent.postMessage({ localcal: 'height', height: Math.ceil(document.body.scrollHeight) }, '*');
    const watch = new ResizeObserver(tell);
    watch.observe(document.body);
    tell();
    return () => watch.disconnect();
  }, [embed]);
  useEffect(() => () => document.documentElement.classList.remove('embedded'), []);
}

/** Light or dark as the link says, or as the page says that embeds this one; on other views as the system is. */
function useTheme(theme: Theme) {
  useLayoutEffect(() => setTheme(theme), [theme]);
  useLayoutEffect(() => () => setTheme(''), []);
  useLayoutEffect(() => {
    const hear = ({ source, data }: MessageEvent) => {
      const said = WORDS.theme.find((one) => one === data?.theme) as Theme | undefined;
      if (source === window.parent && data?.localcal === 'theme' && said !== undefined && lab.peek().embed)
        change({ theme: said });
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
}

/** Arrow keys go through the screens; on a projector the space bar does, too. */
function useKeys() {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { shiftKey, target, key } = event;
      const space = key === ' ' && lab.peek().view === 'projector';
      // a button has its own space bar
      if (!leadsOnByKey(event) || (space && (target as Element).closest('button, summary'))) return;
      const by =
        key === 'ArrowRight' || key === 'PageDown' || (space && !shiftKey)
          ? 1
          : key === 'ArrowLeft' || key === 'PageUp' || space
            ? -1
            : 0;
      const screens = screensOf(lab.peek());
      const next = screens[screens.indexOf(lab.peek().screen) + by];
      if (by === 0) return;
      event.preventDefault();
      if (next !== undefined) show(next);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

export function Learn() {
  const now = lab.value;
  useEmbedding(now.embed);
  useTheme(now.theme);
  useKeys();
  useLayoutEffect(releaseFocus, [now.screen]);
  const screens = screensOf(now);
  const projector = now.view === 'projector';
  return (
    <div class={`learn ${projector ? 'projector' : ''} ${now.view === 'phone' ? 'phone' : ''}`}>
      <h1 class="unseen">Learn: a calibration lab</h1>
      <nav class="screens" aria-label="Screens of the lesson">
        <ol>
          {screens.map((one) => (
            <li key={one}>
              <a
                href={`#${linkOf(stateOf(one))}`}
                aria-current={one === now.screen ? 'step' : undefined}
                title={LESSON[one].title}
                onClick={(event) => {
                  event.preventDefault();
                  show(one);
                }}
              >
                {one}
                <span class="unseen">. {LESSON[one].title}</span>
              </a>
            </li>
          ))}
        </ol>
        {!now.embed && (
          <button
            type="button"
            class="quiet"
            aria-pressed={projector}
            onClick={({ currentTarget }) => {
              // the space bar is to go on, not to leave
              currentTarget.blur();
              change({ view: projector ? '' : 'projector' });
            }}
          >
            Projector
          </button>
        )}
      </nav>
      <Screen key={now.screen} />
      {!now.embed && !hidden('notes') && <Class />}
      <Handout />
    </div>
  );
}
