import { LMStudioClient } from '@lmstudio/sdk';
import { expect, it } from 'vitest';
import { useHearth } from '../../setup/server/use-hearth.ts';

/** LM Studio's SDK speaks a protocol over WebSocket that Hearth does not have: docs/adr/0027-websocket-sdks.md. */
const hearth = useHearth();

it('ends with an error that says that there is no WebSocket', async () => {
  const client = new LMStudioClient({
    baseUrl: hearth.url.replace('http:', 'ws:'),
    verboseErrorMessages: false,
  });
  await expect(client.llm.model('hearth/starter-chat')).rejects.toThrow(
    'Unexpected server response: 501',
  );
  await expect.poll(() => hearth.log()).toContain('Hearth has no WebSocket API');
});
