/** A request that has one of the instance's places: as many may run as the engine has slots. */
export interface PlaceView {
  /** Order of arrival. */
  readonly id: number;
  /** `preparing`: its prompt is not built yet; `ready`: waits for its slot; `running`: has it. */
  readonly state: 'preparing' | 'ready' | 'running';
  /** Ready: cells that it would reserve now; undefined while no slot is free. Running: its reservation. */
  readonly cells: number | undefined;
  /** Running: the reservation that it needs to continue; equal to `cells` if that is enough. */
  readonly wantedCells: number;
  /** Its prefill would delay the other requests: one such prompt is read at a time. */
  readonly isLong: boolean;
  /** Running, and waits for its turn of prefill. */
  readonly awaitsPrefill: boolean;
  /** Its answer can be continued after it gave its slot away. */
  readonly isPausable: boolean;
  readonly isPausing: boolean;
}

/** The requests of one instance, and what its engine has for them. Cells hold one token each. */
export interface SchedulerView {
  /** False until the model's load begins. */
  readonly isOpen: boolean;
  readonly slotCount: number;
  /** Cells of the cache that the slots share; Infinity if each has its own. */
  readonly totalCells: number;
  /** Cells of slots that are being saved or emptied. */
  readonly busyCells: number;
  /** A long prompt is being read. */
  readonly isPrefilling: boolean;
  /** Requests without a place. */
  readonly waitingCount: number;
  /** In order of arrival. */
  readonly places: readonly PlaceView[];
}

export type SchedulerAction =
  /** Gives a place to the next waiting request. */
  | { readonly type: 'assign' }
  /** Gives a slot, and the turn of prefill if the prompt is long. */
  | { readonly type: 'start'; readonly id: number }
  | { readonly type: 'prefill'; readonly id: number }
  /** Raises the reservation to `wantedCells`. */
  | { readonly type: 'grow'; readonly id: number }
  | { readonly type: 'pause'; readonly id: number };

/**
 * Decides what happens next in the queue of an instance; undefined if every request has to wait.
 *
 * 1. A running answer that needs more cells gets them, or the youngest answer that can be continued is paused. Nothing
 *    starts before that, so the oldest answers always reach their end.
 * 2. The turn of prefill goes to a request that has its slot.
 * 3. Requests start in order of arrival if their cells are free. Short prompts pass a long one that waits for its turn
 *    of prefill; no request passes one that waits for cells.
 * 4. A free place goes to the next waiting request.
 */
export function decide(view: SchedulerView): SchedulerAction | undefined {
  return decideCells(view) ?? decidePlaces(view);
}

function decideCells(view: SchedulerView): SchedulerAction | undefined {
  const { places, totalCells, busyCells, isPrefilling } = view;
  const running = places.filter(({ state }) => state === 'running');
  const usedCells = running.reduce((sum, { cells = 0 }) => sum + cells, busyCells);
  const growing = running.find((each) => each.wantedCells > (each.cells ?? 0) && !each.isPausing);
  if (growing !== undefined) {
    const moreCells = growing.wantedCells - (growing.cells ?? 0);
    if (usedCells + moreCells <= totalCells) return { type: 'grow', id: growing.id };
    // The cells of a pausing request are free in a moment.
    if (running.some(({ isPausing }) => isPausing)) return undefined;
    const youngest = running.findLast(({ isPausable }) => isPausable);
    return youngest === undefined ? undefined : { type: 'pause', id: youngest.id };
  }
  const reader = running.find(({ awaitsPrefill }) => awaitsPrefill);
  if (reader !== undefined && !isPrefilling) return { type: 'prefill', id: reader.id };
  for (const { id, state, cells, isLong } of places) {
    if (state !== 'ready' || (isLong && isPrefilling)) continue;
    if (cells === undefined || usedCells + cells > totalCells) return undefined;
    return { type: 'start', id };
  }
  return undefined;
}

function decidePlaces(view: SchedulerView): SchedulerAction | undefined {
  const { isOpen, waitingCount, places, slotCount } = view;
  const isFree = isOpen && waitingCount > 0 && places.length < slotCount;
  return isFree ? { type: 'assign' } : undefined;
}
