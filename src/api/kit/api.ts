import type { App } from './mount.ts';
import type { ApiDescription } from './api-description.ts';

/** An API with its endpoints. */
export interface Api extends ApiDescription {
  /** Mounts the endpoints with `mount`. */
  readonly mountRoutes: (app: App) => void;
}
