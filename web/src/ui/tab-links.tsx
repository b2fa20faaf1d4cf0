import { Link, useRouterState } from '@tanstack/react-router';
import { keepInView } from './arrow-keys.ts';
import { classNames } from './class-names.ts';

interface Tab {
  readonly path: string;
  readonly label: string;
  /** Path prefix of further pages that belong to the tab. */
  readonly below?: string;
}

/** Links to the parts of a page; marks the current one. Scrolls sideways on narrow screens. */
export function TabLinks({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
}) {
  const current = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <nav
      aria-label={label}
      className="no-scrollbar -mx-4 flex gap-1 overflow-x-auto border-b px-4 sm:mx-0 sm:px-0"
    >
      {tabs.map(({ path, label: name, below }) => {
        const isCurrent = path === current || (below !== undefined && current.startsWith(below));
        return (
          <Link
            key={path}
            ref={isCurrent ? keepInView : null}
            to={path}
            aria-current={isCurrent ? 'page' : undefined}
            activeOptions={{ exact: true, includeSearch: false }}
            className={classNames(
              '-mb-px border-b-2 px-3 py-2 text-sm font-medium whitespace-nowrap outline-offset-[-2px]',
              isCurrent ? 'border-accent' : 'border-transparent text-muted hover:text-text',
            )}
          >
            {name}
          </Link>
        );
      })}
    </nav>
  );
}
