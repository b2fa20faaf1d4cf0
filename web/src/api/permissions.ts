import { useQuery } from '@tanstack/react-query';
import type { Permission } from '../../../src/kernel/permission.ts';
import { sessionQuery } from './queries.ts';

/** Tells what the caller may do; nothing until the server has answered. */
export function usePermissions(): (permission: Permission) => boolean {
  const { data } = useQuery(sessionQuery);
  return (permission) => data?.permissions.includes(permission) === true;
}
