import sys

from bench.statistics.fit import main

sys.exit(main())
