import type { ErrorCase } from '../setup/server/error-case.ts';
import type { FakeHub } from '../setup/hub/fake-hub.ts';
import { starterPath } from '../setup/engine/test-engines.ts';

const start = '/api/v1/models/download';
const huge = 2 ** 50;

/** Adds the repositories that the cases need. */
export function fillHub(hub: FakeHub): void {
  const files = { 'model-Q8_0.gguf': { filePath: starterPath('chat') } };
  hub.addRepository({ name: 'acme/gated', files, gated: 'manual' });
  hub.addRepository({ name: 'acme/quants', files });
  hub.addRepository({ name: 'acme/no-model', files: { 'README.md': Buffer.from('# Nothing') } });
  hub.addRepository({ name: 'acme/broken', files });
  hub.faults.add({ kind: 'body', body: '<html>', path: '/api/models/acme/broken/revision/main' });
  hub.addRepository({ name: 'acme/huge', files }).changeListing = (entries) =>
    entries.map((entry) => ({
      ...entry,
      size: huge,
      ...(entry.lfs === undefined ? {} : { lfs: { ...entry.lfs, size: huge } }),
    }));
}

/** Download requests that must fail; `hubUrl` is the value of `hub.endpoint`. */
export function downloadErrorCases(hubUrl: string): readonly ErrorCase[] {
  return [
    {
      code: 'gated_repository',
      path: start,
      body: { model: 'acme/gated' },
      param: 'model',
      message: /acme\/gated.*hub\.token/,
    },
    {
      code: 'model_not_found',
      path: start,
      body: { model: 'acme/no-such' },
      param: 'model',
      message: /acme\/no-such/,
    },
    {
      code: 'invalid_value',
      path: start,
      body: { model: 'no-such-id' },
      param: 'model',
      message: /no-such-id/,
    },
    {
      code: 'invalid_value',
      path: start,
      body: { model: `${hubUrl}/acme/quants`, quantization: 'Q2_K' },
      param: 'quantization',
      message: /Q2_K.*Q8_0/,
    },
    {
      code: 'invalid_value',
      path: start,
      body: { model: 'acme/quants', quantization: 'Q8_0' },
      param: 'quantization',
      message: 'only if `model` is a URL of the model hub',
    },
    {
      code: 'invalid_value',
      path: start,
      body: { model: 'https://example.com/acme/quants', quantization: 'Q8_0' },
      param: 'model',
      message: /example\.com/,
    },
    {
      code: 'invalid_value',
      path: start,
      body: { model: 'acme/no-model' },
      param: 'model',
      message: /acme\/no-model/,
    },
    {
      code: 'invalid_value',
      path: start,
      body: { model: '../../etc/passwd' },
      param: 'model',
      message: /etc\/passwd/,
    },
    {
      code: 'hub_unreachable',
      path: start,
      body: { model: 'acme/broken' },
      message: /hub/,
    },
    {
      code: 'insufficient_disk',
      path: start,
      body: { model: 'acme/huge' },
      message: /\d.*\d/,
    },
    {
      code: 'job_not_found',
      path: `${start}/status/job_0000000000`,
      param: 'job_id',
      message: 'job_0000000000',
    },
    ...['pause', 'resume', 'cancel'].map((action) => ({
      code: 'job_not_found' as const,
      path: `${start}/job_0000000000/${action}`,
      method: 'POST',
      param: 'job_id',
      message: 'job_0000000000',
    })),
  ];
}
