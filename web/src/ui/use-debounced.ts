import { useEffect, useState } from 'react';

/** A value that follows another one as soon as that one rests for a time. */
export function useDebounced<Value>(value: Value, ms: number): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}
