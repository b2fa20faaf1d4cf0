import { validateHeaderName, validateHeaderValue } from 'node:http';
import { HearthError } from '../contract/errors.ts';
import type { Integration } from './toolbox.ts';

const maxIntegrations = 32;

/** @throws HearthError `invalid_value` where one is there twice, or there are too many. */
export function assertDistinct(integrations: readonly Integration[]): void {
  if (integrations.length > maxIntegrations) {
    const message = `A request may have ${maxIntegrations} integrations; this one has ${integrations.length}.`;
    throw new HearthError('invalid_value', message, { param: 'integrations' });
  }
  const seen = new Set<string>();
  for (const [index, integration] of integrations.entries()) {
    const isPlugin = integration.type === 'plugin';
    const name = isPlugin ? integration.id : integration.serverLabel;
    const key = `${integration.type} ${name}`;
    if (seen.has(key)) {
      const field = isPlugin ? (integration.isBare === true ? '' : '.id') : '.server_label';
      throw new HearthError('invalid_value', `${JSON.stringify(name)} is there twice.`, {
        param: `integrations[${index}]${field}`,
      });
    }
    seen.add(key);
  }
}

/** @throws HearthError `invalid_value` */
export function ephemeralUrl(text: string, param: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new HearthError('invalid_value', 'server_url must be an http or https URL.', { param });
  }
  if (url.username !== '' || url.password !== '') {
    const message = 'server_url must not have a user and password; give them in headers.';
    throw new HearthError('invalid_value', message, { param });
  }
  return url;
}

/** @throws HearthError `invalid_value` for a header that HTTP can't carry. */
export function assertHeaders(headers: Readonly<Record<string, string>>, param: string): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!validateHeader(name, value)) {
      const message = `${JSON.stringify(name.slice(0, 100))} is no header that can be sent.`;
      throw new HearthError('invalid_value', message, { param });
    }
  }
}

function validateHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
