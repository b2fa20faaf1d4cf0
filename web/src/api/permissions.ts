import { useQuery } from '@tanstack/react-query';
import type { Permission } from '../../../src/kernel/permission.ts';
import { sessionQuery } from './queries.ts';

/** Returns a function that checks a permission of the caller; false until the server has responded. */
export function usePermissions(): (permission: Permission) => boolean {
  const { data } = useQuery(sessionQuery);
  return (permission) => data?.permissions.includes(permission) === true;
}
