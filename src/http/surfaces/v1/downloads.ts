import { HearthError } from '../../../contract/errors.ts';
import { getDownload, startDownload } from '../../../contract/v1/download.ts';
import { mount, type App } from '../../mount.ts';

/** The endpoints of downloads, which check a request but serve none yet. */
export function mountDownloads(app: App): void {
  const refuse = async (): Promise<never> => {
    throw new HearthError(
      'not_implemented',
      'This version does not download models. `hearth import <file.gguf>` adds one that you have.',
    );
  };
  mount(app, startDownload, refuse);
  mount(app, getDownload, refuse);
}
