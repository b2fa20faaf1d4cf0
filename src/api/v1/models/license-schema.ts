import * as z from 'zod';
import { isOpenLicense } from '../../../library/license-name.ts';

/** License fields of a model that can be downloaded. */
export const licenseFields = {
  license: z
    .string()
    .optional()
    .describe('As its source names it, such as `apache-2.0`; absent if it names none.'),
  license_has_conditions: z
    .boolean()
    .optional()
    .describe(
      'False for well-known open licenses. Others may restrict the use of the model: read them before you use it. ' +
        'Absent if the license is unknown.',
    ),
};

export function toLicense(license: string | null | undefined) {
  if (license === null || license === undefined) return {};
  return { license, license_has_conditions: !isOpenLicense(license) };
}
