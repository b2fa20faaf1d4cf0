import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { sessionQuery } from '../../api/queries.ts';
import { usePermissions } from '../../api/permissions.ts';
import { voiceTexts } from '../../texts/voice.ts';
import { texts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Field, inputClass } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { ScriptPreview } from './script-preview.tsx';
import { SpeechPanel } from './speech-panel.tsx';
import { VoiceSettings } from './voice-settings.tsx';
import { newSpeaker, toScriptRequest, type VoiceForm } from './voice-options.ts';

const labels = voiceTexts;
const previewDelayMs = 250;

/** Prepares a text for a speech synthesizer, with a preview while typing. */
export function VoicePage() {
  const [form, setForm] = useState<VoiceForm>({
    text: '',
    mode: 'auto',
    output: 'script',
    isClean: true,
    speakers: [newSpeaker, newSpeaker],
  });
  const { isSuccess } = useQuery(sessionQuery);
  const isAllowed = usePermissions()('chat');
  const body = useDebounced(
    useMemo(() => toScriptRequest(form), [form]),
    previewDelayMs,
  );
  const preview = useQuery({
    queryKey: ['speech-script', body],
    queryFn: ({ signal }) => call('post', '/api/v1/speech/script', { body }, { signal }),
    enabled: body.text !== '' && isAllowed,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <Page title={texts.pages.voice} description={labels.description} isWide>
      {isSuccess && !isAllowed && <Notice tone="warn">{labels.noChat}</Notice>}
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <Field label={labels.text} hint={labels.textHint}>
            {(attributes) => (
              <textarea
                {...attributes}
                rows={12}
                dir="auto"
                className={`${inputClass} resize-y leading-6`}
                placeholder={labels.placeholder}
                value={form.text}
                onChange={(event) => setForm({ ...form, text: event.target.value })}
              />
            )}
          </Field>
          {form.text === '' && (
            <Button
              size="small"
              className="-mt-2 self-start"
              onClick={() => setForm({ ...form, text: labels.exampleText })}
            >
              {labels.example}
            </Button>
          )}
          <VoiceSettings form={form} onChange={setForm} />
        </div>
        <ScriptPreview query={preview} isEmpty={form.text === ''}>
          {isAllowed && <SpeechPanel form={form} />}
        </ScriptPreview>
      </div>
    </Page>
  );
}
