import { launchdService } from './launchd-service.ts';
import type { ServiceDefinition, ServiceFacts } from './service-definition.ts';
import { systemdService } from './systemd-service.ts';
import { windowsService } from './windows-service.ts';

/** The service of the platform in `facts`. */
export function createService(facts: ServiceFacts): ServiceDefinition {
  switch (facts.platform) {
    case 'linux':
      return systemdService(facts);
    case 'darwin':
      return launchdService(facts);
    case 'win32':
      return windowsService(facts);
  }
}
