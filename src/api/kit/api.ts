import type { App } from './mount.ts';
import type { SurfaceDescription } from './api-description.ts';

/** An API with its endpoints. */
export interface Surface extends SurfaceDescription {
  /** Mounts the endpoints with `mount`. */
  readonly mountRoutes: (app: App) => void;
}
