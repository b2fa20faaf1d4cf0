/** A request that has one of the instance's places: as many may run as the engine has slots. */
export interface PlaceView {
  /** `preparing`: its prompt is not built yet; `ready`: waits for its slot; `running`: has it. */
  readonly state: 'preparing' | 'ready' | 'running';
  /** Running: its reservation. */
  readonly cells: number;
  /** Running: the reservation that it needs to continue; `cells` or less if that is enough. */
  readonly wantedCells: number;
  /** Running, and waits for its turn of prefill. */
  readonly awaitsPrefill: boolean;
  readonly isPausing: boolean;
  /** Ready: cells that it would reserve now; undefined while no slot is free. */
  cellsToStart(): number | undefined;
  /** Ready: its prefill would delay the other requests; one such prompt is read at a time. */
  isLong(): boolean;
  /** Running: its answer can be continued after it gave its slot away. */
  isPausable(): boolean;
}

/** The requests of one instance, and what its engine has for them. Cells hold one token each. */
export interface SchedulerView<View extends PlaceView = PlaceView> {
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
  readonly placeCount: number;
  /** In order of arrival. */
  readonly places: Iterable<View>;
}

export type SchedulerAction<View extends PlaceView = PlaceView> =
  /** Gives a place to the next waiting request. */
  | { readonly type: 'assign' }
  /** Gives a slot, and the turn of prefill if the prompt is long. */
  | { readonly type: 'start'; readonly place: View; readonly isLong: boolean }
  | { readonly type: 'prefill'; readonly place: View }
  /** Raises the reservation to `wantedCells`. */
  | { readonly type: 'grow'; readonly place: View }
  | { readonly type: 'pause'; readonly place: View };

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
export function decide<View extends PlaceView>(
  view: SchedulerView<View>,
): SchedulerAction<View> | undefined {
  return decideCells(view) ?? decidePlaces(view);
}

function decideCells<View extends PlaceView>({
  places,
  totalCells,
  busyCells,
  isPrefilling,
}: SchedulerView<View>): SchedulerAction<View> | undefined {
  let usedCells = busyCells;
  let isPausing = false;
  let growing: View | undefined;
  let reader: View | undefined;
  for (const place of places) {
    if (place.state !== 'running') continue;
    usedCells += place.cells;
    if (place.isPausing) isPausing = true;
    else if (place.wantedCells > place.cells) growing ??= place;
    if (place.awaitsPrefill) reader ??= place;
  }
  if (growing !== undefined) {
    const moreCells = growing.wantedCells - growing.cells;
    if (usedCells + moreCells <= totalCells) return { type: 'grow', place: growing };
    // The cells of a pausing request are free in a moment.
    const youngest = isPausing ? undefined : youngestPausable(places);
    return youngest && { type: 'pause', place: youngest };
  }
  if (reader !== undefined && !isPrefilling) return { type: 'prefill', place: reader };
  for (const place of places) {
    if (place.state !== 'ready') continue;
    const isLong = place.isLong();
    if (isLong && isPrefilling) continue;
    const cells = place.cellsToStart();
    if (cells === undefined || usedCells + cells > totalCells) return undefined;
    return { type: 'start', place, isLong };
  }
  return undefined;
}

function youngestPausable<View extends PlaceView>(places: Iterable<View>): View | undefined {
  let youngest: View | undefined;
  for (const place of places) {
    if (place.state === 'running' && place.isPausable()) youngest = place;
  }
  return youngest;
}

function decidePlaces({
  isOpen,
  waitingCount,
  placeCount,
  slotCount,
}: SchedulerView): { readonly type: 'assign' } | undefined {
  return isOpen && waitingCount > 0 && placeCount < slotCount ? { type: 'assign' } : undefined;
}
