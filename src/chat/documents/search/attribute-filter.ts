import type { Attributes } from '../../../store/vector-stores/vector-store.ts';
import type { AttributeFilter } from '../../../tools/file-search.ts';

/** True if a file's attributes match a filter. A missing attribute is unequal to every value. */
export function matchesFilter(filter: AttributeFilter, attributes: Attributes): boolean {
  if ('filters' in filter) {
    return filter.type === 'and'
      ? filter.filters.every((each) => matchesFilter(each, attributes))
      : filter.filters.some((each) => matchesFilter(each, attributes));
  }
  const { key, type, value: wanted } = filter;
  const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  const values = [wanted].flat();
  const isEqual = value !== undefined && values.includes(value);
  switch (type) {
    case 'eq':
    case 'in':
      return isEqual;
    case 'ne':
    case 'nin':
      return !isEqual;
    default: {
      const [bound] = values;
      if (value === undefined || bound === undefined || typeof value !== typeof bound) return false;
      if (type === 'gt') return value > bound;
      if (type === 'gte') return value >= bound;
      return type === 'lt' ? value < bound : value <= bound;
    }
  }
}
