import { createSpeechScript } from './speech-script-schema.ts';
import { formatSpeechScript } from '../../../speech-script/format-speech-script.ts';
import { mount, type App } from '../../kit/mount.ts';

export function mountSpeechScript(app: App): void {
  mount(app, createSpeechScript, async ({ body }) => formatSpeechScript(body));
}
