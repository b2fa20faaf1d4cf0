import { createSpeechScript } from '../../../contract/v1/speech-script.ts';
import { formatSpeechScript } from '../../../speech-script/format-speech-script.ts';
import { mount, type App } from '../../mount.ts';

export function mountSpeechScript(app: App): void {
  mount(app, createSpeechScript, async ({ body }) => formatSpeechScript(body));
}
