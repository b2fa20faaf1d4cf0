export interface NvidiaGpu {
  readonly driverMajor: number;
  /** A number such as 8.6; undefined if the driver does not report it. */
  readonly computeCapability: number | undefined;
}

/** Parses the output of `nvidia-smi --query-gpu=driver_version,compute_cap --format=csv,noheader`, a line per GPU. */
export function parseNvidiaGpus(output: string): readonly NvidiaGpu[] {
  return output.split(/\r?\n/u).flatMap((line) => {
    const [driver = '', capability = ''] = line.split(',').map((part) => part.trim());
    const driverMajor = /^(\d{1,6})\./u.exec(driver)?.[1];
    if (driverMajor === undefined) return [];
    const computeCapability = /^\d{1,3}\.\d{1,2}$/u.test(capability)
      ? Number(capability)
      : undefined;
    return [{ driverMajor: Number(driverMajor), computeCapability }];
  });
}

/** True if the driver can run the build, and the build has kernels for all GPUs. */
export function runsCudaBuild(
  build: {
    readonly minimumDriverMajor?: number;
    readonly minimumComputeCapability?: number;
  },
  gpus: readonly NvidiaGpu[],
): boolean {
  const { minimumDriverMajor = 0, minimumComputeCapability = 0 } = build;
  return (
    gpus.length > 0 &&
    gpus.every(
      ({ driverMajor, computeCapability = Number.POSITIVE_INFINITY }) =>
        driverMajor >= minimumDriverMajor && computeCapability >= minimumComputeCapability,
    )
  );
}
