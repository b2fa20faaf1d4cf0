import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { hasDeployTools, renderChart } from '../setup/deploy/render-chart.ts';
import { openHearth } from '../setup/server/use-hearth.ts';

const image = { HEARTH_SERVER_HOST: '0.0.0.0', HEARTH_AUTH_REQUIRED: 'true' };

/** The environment that the chart gives a server, without secrets. */
async function environmentOf(values: object): Promise<Record<string, string>> {
  const manifests = await renderChart(values, { release: 'chat', namespace: 'models' });
  const { spec } = manifests.get('StatefulSet') as unknown as {
    spec: { template: { spec: { containers: [{ env: { name: string; value?: string }[] }] } } };
  };
  return Object.fromEntries(
    spec.template.spec.containers[0].env.flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Status of a request to the server under a host name. */
function statusOf(url: string, host: string, path = '/api/v1/models'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    const sent = request({ port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

describe.runIf(hasDeployTools)('a server with the variables of the chart', () => {
  it('serves the names of its service, its ingress and its route, and no others', async () => {
    const ingress = { enabled: true, hosts: ['example.com'] };
    const route = { enabled: true, parentRefs: [{ name: 'g' }], hostnames: ['chat.example.com'] };
    const environment = await environmentOf({ ingress, route, allowedHosts: ['models.lan'] });
    const server = await openHearth({ environment: { ...image, ...environment } });
    const service = 'chat-hearth.models';
    for (const host of [
      'chat-hearth:1234',
      `${service}:1234`,
      `${service}.svc:1234`,
      `${service}.svc.cluster.local:1234`,
      'example.com',
      'chat.example.com',
      'models.lan',
    ]) {
      expect(await statusOf(server.url, host), host).toBe(401);
    }
    expect(await statusOf(server.url, 'chat-hearth.other:1234')).toBe(403);
    expect(await statusOf(server.url, '10.0.0.7:1234', '/health')).toBe(200);
    expect(await statusOf(server.url, '10.0.0.7:1234', '/ready')).toBe(200);
  });

  it('is probed without the path of its public address', async () => {
    const environment = await environmentOf({ publicUrl: 'https://example.com/hearth/' });
    const server = await openHearth({ environment: { ...image, ...environment } });
    expect(await statusOf(server.url, '10.0.0.7:1234', '/health')).toBe(200);
    expect(await statusOf(server.url, 'example.com', '/hearth/api/v1/models')).toBe(401);
  });
});
