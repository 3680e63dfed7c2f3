// What a person chose, as types: what the rows are looked at through, similarity, recalibrations with settings of their own,
// settings of panels, and the report.

/** What the core calls the logits that it finds in probabilities, where the file holds none. */
export const LOGITS = 'logits';
/** What the core knows rows by without a column of the file. */
export const PREDICTED = 'predicted class';

/** Coordinates of rows: columns, scaled, then components, then t-SNE. What is left out is not done. */
export type Place = {
  of: string[];
  scale?: 'standardise' | 'median_l1';
  pca?: number;
  tsne?: { dimensions?: number; perplexity?: number; seed?: number };
};
export type Kernel = 'laplacian' | 'gaussian' | 'rbf' | 'group' | 'constant';
/** What a person chose for similarity; what is left out is as the core has it. */
export type Similarity = {
  place?: Place;
  kernel?: Kernel;
  /** in the unit of the kernel */
  gamma?: number;
  /** confidence bins within which rows are compared */
  bins?: { count: number; scheme: wasm_bindgen.BinScheme };
  /** which rows can be neighbors: all, those of the same predicted class, or of the same value of a column */
  within?: string;
  /** each row is left out of its own neighborhood */
  leave_one_out?: boolean;
  /** width in the score, of the KLCE test and the witness */
  width_p?: number;
  /** K, of proximity */
  neighbours?: number;
  distance?: wasm_bindgen.Distance;
};

/**
 * Through what the rows are looked at; null, and what `alike` leaves out: what the core suggests. `repair`: the id of a
 * method, or none.
 */
export type Subject = { groups: string[] | null; alike: Similarity; repair: string | null };
export type Panels = Record<string, Record<string, unknown>>;
export type Specified = Record<string, { id: string; parameters?: Record<string, unknown> }>;
/** What is chosen beside how files are read. */
export type Chosen = { subject: Subject; specified: Specified; panels: Panels; inReport: string[] };
