import sys

from bench.gpu.measurements import main

sys.exit(main())
