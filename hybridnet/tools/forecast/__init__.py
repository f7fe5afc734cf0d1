# SPDX-License-Identifier: MIT
"""The forecast: what a demand will keep busy, before anything is built; from costs that were measured once."""

from hybridnet.tools.forecast.costs import Cost, Costs, Traffic
from hybridnet.tools.forecast.demand import Demand, Flow, read_demand
from hybridnet.tools.forecast.forecast import Forecast, make_forecast

__all__ = ["Cost", "Costs", "Demand", "Flow", "Forecast", "Traffic", "make_forecast", "read_demand"]
