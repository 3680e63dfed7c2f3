// Who goes by keyboard stays in place: where a button goes away or is disabled by what it did, a button beside it has the focus,
// else the heading of its place.

/** Frames that an answer may take to replace the button that asked for it. */
const FRAMES = 60;

/** Whether it has a box on the page. */
const isDrawn = (one: Element) => one.getClientRects().length > 0;

/** The first heading in the nearest place that is left, from within outwards; of an open choice the button that opened it. */
function headingOf(places: Element[]): HTMLElement | null {
  for (const place of places)
    if (place.isConnected) {
      if (place.matches('.choice')) return place.querySelector<HTMLElement>('.part');
      const headings = [...place.querySelectorAll<HTMLElement>('h1:not(.unseen), h2, h3')];
      const shown = headings.find(isDrawn);
      if (shown) return shown;
    }
  return null;
}

/** Goes to what a view shows, past the head and the list of analyses. */
export function skipToContent() {
  const [sheet, heading] = ['.sheet h2', ':is(h1:not(.unseen), h2)'].map((what) =>
    document.querySelector<HTMLElement>(`#view ${what}`),
  );
  const at = sheet ?? heading;
  if (!at) return;
  at.tabIndex = -1;
  at.focus();
}

function after(button: Element, places: Element[], left = FRAMES) {
  const disabled = button.matches(':disabled');
  if (button.isConnected && isDrawn(button) && !disabled) {
    if (left > 0) requestAnimationFrame(() => after(button, places, left - 1));
    return;
  }
  // whatever took the focus by itself has it; a button that is disabled keeps it for a moment only
  const at = document.activeElement;
  if (at && at !== document.body && at !== button) return;
  const beside = disabled && places[0]?.querySelector<HTMLElement>('button:enabled');
  if (beside) return beside.focus({ preventScroll: true });
  const heading = headingOf(places);
  if (!heading) return;
  if (heading.tabIndex < 0) heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Looks after every button and link that had the focus when it was used. */
export function keepFocus() {
  const used = ({ target }: MouseEvent) => {
    const button = (target as Element | null)?.closest?.('button, a');
    if (!button || document.activeElement !== button) return;
    const places: Element[] = [];
    for (let place = button.parentElement; place; place = place.parentElement) places.push(place);
    requestAnimationFrame(() => after(button, places));
  };
  // before the button does it
  addEventListener('click', used, true);
}
