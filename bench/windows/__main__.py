import sys

from bench.windows.sound import main

sys.exit(main())
