"""A mechanism driver of Neutron that stands for the agents which do not run here."""

from neutron_lib import constants
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class AtOnce(api.MechanismDriver):
    """Binds any port on any host, and says that it is up."""

    connectivity = portbindings.CONNECTIVITY_L2

    def initialize(self):
        """Nothing to prepare."""

    def bind_port(self, context):
        """Takes the first segment offered."""
        details = {portbindings.CAP_PORT_FILTER: True}
        for segment in context.segments_to_bind[:1]:
            context.set_binding(
                segment[api.ID], portbindings.VIF_TYPE_OVS, details, status=constants.PORT_STATUS_ACTIVE)
