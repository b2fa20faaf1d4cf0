import { HearthError } from '../kernel/errors/errors.ts';
import { maxIntegrations } from '../kernel/field.ts';
import type { Integration } from './toolbox.ts';

/** @throws HearthError `invalid_value` if an integration is listed twice, or there are too many. */
export function assertDistinct(integrations: readonly Integration[]): void {
  if (integrations.length > maxIntegrations) {
    const message = `A request may have ${maxIntegrations} integrations; this one has ${integrations.length}.`;
    throw new HearthError('invalid_value', message, { field: 'integrations' });
  }
  const seen = new Set<string>();
  for (const [index, integration] of integrations.entries()) {
    const name = integration.type === 'plugin' ? integration.id : integration.serverLabel;
    const key = `${integration.type} ${name}`;
    if (seen.has(key)) {
      throw new HearthError('invalid_value', `${JSON.stringify(name)} is listed twice.`, {
        field: nameField(integration, index),
      });
    }
    seen.add(key);
  }
}

/** Domain path of the name of an integration. */
export function nameField(integration: Integration, index: number): string {
  const path = `integrations[${index}]`;
  if (integration.type === 'ephemeralMcp') return `${path}.serverLabel`;
  return integration.isBare === true ? path : `${path}.id`;
}
