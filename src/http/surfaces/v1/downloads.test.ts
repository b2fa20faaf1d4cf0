import { expect, it } from 'vitest';
import { createTestApp } from '../../testing/test-app.ts';
import { mountDownloads } from './downloads.ts';

const { app } = createTestApp({ surfaces: mountDownloads });

function download(body: unknown) {
  const headers = { 'Content-Type': 'application/json' };
  return app.request('/api/v1/models/download', {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
}
const url = 'https://huggingface.co/org/model';

it.each([{ model: 'org/model' }, { model: url }, { model: url, quantization: 'q4_k_m' }])(
  'says of %j that it is not served yet',
  async (body) => {
    const response = await download(body);
    expect(response.status).toBe(501);
    expect(await response.json()).toMatchObject({ error: { code: 'not_implemented' } });
  },
);

it.each([
  [{}, 'missing_required_parameter', 'model'],
  [{ model: 5 }, 'invalid_type', 'model'],
  [{ model: url, quantisation: 'q4_k_m' }, 'unrecognized_keys', 'quantisation'],
  [{ model: 'org/model', quantization: 'q4_k_m' }, 'invalid_value', 'quantization'],
  [
    { model: 'http://huggingface.co.example/a', quantization: 'q4_k_m' },
    'invalid_value',
    'quantization',
  ],
])('refuses %j', async (body, code, param) => {
  const response = await download(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code, param } });
});

it('says what a quantization goes with', async () => {
  const response = await download({ model: 'org/model', quantization: 'q4_k_m' });
  expect(await response.json()).toMatchObject({
    error: {
      message:
        '"quantization" is "q4_k_m". It goes only with a `model` that is a URL of the model hub (https://huggingface.co/...).',
    },
  });
});

it('has the state of a download, which is not served yet either', async () => {
  const response = await app.request('/api/v1/models/download/status/job_x');
  expect(response.status).toBe(501);
  expect(await response.json()).toMatchObject({ error: { code: 'not_implemented' } });
});
