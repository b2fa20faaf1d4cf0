import { ChevronRight } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { classNames } from './class-names.ts';

/** A card whose header shows and hides the content. Hidden content is not rendered. */
export function FoldedCard({
  icon,
  title,
  note,
  isOpenAtFirst = false,
  className,
  contentClassName,
  children,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  /** A short text beside the title. */
  readonly note?: string | undefined;
  readonly isOpenAtFirst?: boolean;
  readonly className?: string | false;
  readonly contentClassName?: string;
  readonly children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  return (
    <section
      aria-label={title}
      className={classNames('overflow-hidden rounded-xl border bg-raised text-sm', className)}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className="flex w-full items-center gap-2.5 px-3 py-2 text-start -outline-offset-2 hover:bg-hover"
        onClick={() => setOpen(!isOpen)}
      >
        {icon}
        <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
        {note !== undefined && (
          <span className="max-w-[40%] shrink-0 truncate text-xs text-muted">{note}</span>
        )}
        <ChevronRight
          size={16}
          aria-hidden
          className={classNames('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
        />
      </button>
      <div
        id={id}
        hidden={!isOpen}
        className={classNames('border-t px-3 py-2.5', contentClassName)}
      >
        {isOpen && children}
      </div>
    </section>
  );
}
