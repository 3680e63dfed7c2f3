// Quiet buttons that are drawings, each with its name for whoever points at it, or hears it.

const DRAWINGS = {
  caption: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  table: 'M2 3.5h12v9H2zM2 6.5h12M2 9.5h12M6 3.5v9',
  download: 'M8 2.5v7.5M4.5 7 8 10.5 11.5 7M3 13.5h10',
};

interface Props {
  icon: keyof typeof DRAWINGS;
  name: string;
  /** what it is of, for who hears several of them */
  of?: string;
  /** whether what it shows is shown */
  open: boolean;
  toggle: () => void;
}
/** Shows something, or hides it again. */
export const IconToggle = ({ icon, name, of, open, toggle }: Props) => (
  <button
    type="button"
    class="icon"
    aria-label={of ? `${name}: ${of}` : name}
    title={name}
    aria-expanded={open}
    onClick={toggle}
  >
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={DRAWINGS[icon]} />
    </svg>
  </button>
);
