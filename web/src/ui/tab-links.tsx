import { Link } from '@tanstack/react-router';

/** Links to the parts of a page; the current one is marked. Scrolls sideways on narrow screens. */
export function TabLinks({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly path: string; readonly label: string }[];
}) {
  return (
    <nav
      aria-label={label}
      className="no-scrollbar -mx-4 flex gap-1 overflow-x-auto border-b px-4 sm:mx-0 sm:px-0"
    >
      {tabs.map((tab) => (
        <Link
          key={tab.path}
          to={tab.path}
          activeOptions={{ exact: true }}
          className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-muted outline-offset-[-2px] hover:text-text"
          activeProps={{ className: '!border-accent !text-text' }}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
